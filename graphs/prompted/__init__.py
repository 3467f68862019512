"""What methods share that show triples to a model, or walk the graph step by step."""
