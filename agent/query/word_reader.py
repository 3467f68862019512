"""Who says what a query made of each word of its question, and what whole queries weigh by that."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ..records import Word
from .actions import Action
from .prompt import Numbered
from .question import Asked

_LEAST_WHOLE = 0.02
"""What is left of the weight of a query that surely leaves a word out."""


class Weighed(NamedTuple):
    """How likely a query is what was asked, and how surely it leaves a word out."""

    probability: float
    unread: float
    """The largest share of being unread of a word that it does not point at."""


def by_unread(probabilities: Sequence[float], unread: Sequence[float]) -> list[Weighed]:
    """Queries weighed anew by how likely they leave no word of the question out.

    Their probabilities keep their sum.
    """
    weights = [
        probability * max(1.0 - share, _LEAST_WHOLE)
        for probability, share in zip(probabilities, unread, strict=True)
    ]
    total, chance = sum(weights), sum(probabilities)
    if not total:
        return list(map(Weighed, probabilities, unread))
    return [
        Weighed(chance * weight / total, share)
        for weight, share in zip(weights, unread, strict=True)
    ]


class WordReader(Protocol):
    """Says of each word of a question what of its query it made."""

    def account(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> list[Word]:
        """The words in the order of the question; empty where nothing is known of them.

        A word that asks something which the query leaves out is `unread`; one that may do so, since
        nobody knows it, is `unknown`.
        """
        ...

    def most_unread(
        self, question: str, mentions: Sequence[Numbered], readings: Sequence[Sequence[Action]]
    ) -> list[float]:
        """Of each query, the largest share of being unread of a word that it does not point at.

        0 where nothing is known of the words.
        """
        ...

    def weighed(
        self,
        asked: Asked,
        readings: Sequence[Sequence[Action]],
        probabilities: Sequence[float],
    ) -> list[Weighed]:
        """The queries that a question may be, as they weigh by what is known of the whole of them.

        The probabilities are those by which a search found them.
        """
        ...


class NoAccount:
    """The `WordReader` of models without an account: nothing is known of any word."""

    def account(
        self, question: str, mentions: Sequence[Numbered], actions: Sequence[Action]
    ) -> list[Word]:
        """No words."""
        return []

    def most_unread(
        self, question: str, mentions: Sequence[Numbered], readings: Sequence[Sequence[Action]]
    ) -> list[float]:
        """Always 0."""
        return [0.0] * len(readings)

    def weighed(
        self,
        asked: Asked,
        readings: Sequence[Sequence[Action]],
        probabilities: Sequence[float],
    ) -> list[Weighed]:
        """The queries as the search found them."""
        return [Weighed(probability, 0.0) for probability in probabilities]
