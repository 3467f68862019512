"""The report of runs: one HTML page that holds all it needs."""

from .build import build_report

__all__ = ["build_report"]
