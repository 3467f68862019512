"""A graph of concert life, unlike the bundled one, and questions about it."""
