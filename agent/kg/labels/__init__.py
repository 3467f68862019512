"""What terms are called: names, the readable form of literals, and the index of all labels."""
