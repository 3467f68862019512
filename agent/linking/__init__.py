"""From the text of a question to its topic entities."""
