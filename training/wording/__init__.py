"""How things are said: templates and their syntax, phrasebooks, the words of labels, noise."""
