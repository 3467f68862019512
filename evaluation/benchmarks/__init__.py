"""Benchmarks: how fast decoding along the graph is, against the ways it was done before."""
