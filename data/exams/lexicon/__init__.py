"""A graph of dictionary makers without labels of relations, and questions about it."""
