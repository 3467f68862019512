"""`groundwalk chat`: a conversation with the graph, in the terminal."""
