"""A graph of mountain huts with classes and labels, and questions about it."""
