"""What a question sees of a KG: the bounded view, the triples that matter, walks in it."""
