"""Fitting when to answer: the thresholds, the scope of the words, the baselines."""
