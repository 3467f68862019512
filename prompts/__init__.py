"""Prompt templates as files, one folder per method; a folder of the user's overrides them."""
