"""A graph of an aquarium with classes above classes, and questions about it."""
