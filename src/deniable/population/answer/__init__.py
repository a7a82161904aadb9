"""What is said: bounds a record, an attacker's success, the least noise for a target."""
