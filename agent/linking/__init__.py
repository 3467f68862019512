"""From the text of a question to the entities that it is about."""

from .linker import LabelLinker, Linker
from .mention import Candidate, Matched, Mention, is_ambiguous

__all__ = ["Candidate", "LabelLinker", "Linker", "Matched", "Mention", "is_ambiguous"]
