"""What answers are worth: the strict metrics, and the dialects of published scorers."""
