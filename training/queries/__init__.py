"""Questions with queries as training data: made of any graph, and of the user's questions."""
