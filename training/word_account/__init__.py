"""Training the account of words: which action each word of a question made."""
