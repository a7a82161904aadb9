"""How private a mechanism is against an adversary, and how much noise a target asks for."""
