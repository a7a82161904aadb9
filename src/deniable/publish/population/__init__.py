"""Plans whose adversary knows the list of members: the least noise that meets both demands."""
