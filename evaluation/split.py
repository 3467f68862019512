"""The one rule by which questions are split, so that nobody trains on what he reports."""

from hashlib import sha256
from typing import Literal, TypeAlias

Part: TypeAlias = Literal["train", "tune", "report"]


def part(question: str) -> Part:
    """Which part a question belongs to, by its text alone: 50% train, 20% tune, 30% report."""
    bucket = int(sha256(question.strip().encode()).hexdigest(), 16) % 10
    return "train" if bucket < 5 else "tune" if bucket < 7 else "report"
