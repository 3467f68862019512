"""A graph of a car repair garage with much that is easily confused, and questions about it."""
