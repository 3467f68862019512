"""Evaluation: question sets are read, asked and scored, and runs become numbers and a report."""
