"""Decoding along the graph: constraints over tokens, and the search that drives them."""
