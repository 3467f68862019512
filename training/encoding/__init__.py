"""From questions and what is to be written to the tokens that a model learns from."""
