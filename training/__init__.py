"""Questions and paths from a KG, and models trained on them."""
