"""Dataset readers, metrics and the runner."""
