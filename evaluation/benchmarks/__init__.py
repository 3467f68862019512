"""Benchmarks: speed, memory and accuracy, for anybody to measure. No product code imports this."""
