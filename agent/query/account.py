"""What the query of a question makes of each of its words."""

from collections.abc import Sequence
from typing import Protocol

from ..state import Word
from .actions import Action
from .prompt import Numbered


class WordReader(Protocol):
    """Says of each word of a question what of its query it made."""

    def account(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> list[Word]:
        """The words in the order of the question; none where nothing is known of them.

        A word that asks something which the query leaves out is `unread`.
        """
        ...


class NoAccount:
    """For models without an account beside their weights: nothing is known of any word."""

    def account(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> list[Word]:
        """No words."""
        return []


UNREAD = "unread"


def unread(words: Sequence[Word]) -> list[str]:
    """What the query leaves out; words that stand side by side are one text."""
    texts, end = list[str](), -1
    for word in words:
        if word["used_by"] != UNREAD:
            continue
        if texts and word["start"] == end + 1:
            texts[-1] = f"{texts[-1]} {word['text']}"
        else:
            texts.append(word["text"])
        end = word["end"]
    return texts
