"""Questions made from a graph alone: walks, conditions, near misses, the unanswerable."""
