"""A graph of hired film equipment without classes, and questions about it."""
