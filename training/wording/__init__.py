"""How things are said: phrases, templates, the words of labels, noise."""
