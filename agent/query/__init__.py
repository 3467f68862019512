"""What a question can ask of a graph: the query language, its execution, its words, its SPARQL."""
