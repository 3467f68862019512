"""A graph of a waste service with classes and labels, and questions about it."""
