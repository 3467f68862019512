"""A run: questions are asked, in one process or many, and what came out is kept in a folder."""
