"""The report of runs: tables for a terminal, and one HTML page that holds all it needs."""
