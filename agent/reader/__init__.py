"""The general reader: which query a question is, over labels that it has never seen."""
