"""From the text of a question to the entities that it is about."""

from .linker import LabelLinker, Linker
from .mention import Candidate, Matched, Mention, is_ambiguous
from .spans import MentionFinder

__all__ = [
    "Candidate",
    "LabelLinker",
    "Linker",
    "Matched",
    "Mention",
    "MentionFinder",
    "is_ambiguous",
]
