"""What an attacker gains from a pool's published frequencies: measured."""
