"""What the query of a question makes of each of its words."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Protocol

from ..errors import ModelError
from ..kg import KnowledgeGraph
from ..llm.local import model_folder
from ..state import Word

if TYPE_CHECKING:
    from .actions import Action
    from .prompt import Numbered


class WordReader(Protocol):
    """Says of each word of a question what of its query it made."""

    def account(
        self, question: str, mentions: "Sequence[Numbered]", actions: "Sequence[Action]"
    ) -> list[Word]:
        """The words in the order of the question; none where nothing is known of them.

        A word that asks something which the query leaves out is `unread`.
        """
        ...

    def most_unread(
        self, question: str, mentions: "Sequence[Numbered]", actions: "Sequence[Action]"
    ) -> float:
        """How surely the query leaves some word out: the largest share of a word of being unread.

        0 where nothing is known of the words.
        """
        ...


class NoAccount:
    """For models without an account beside their weights: nothing is known of any word."""

    def account(
        self, question: str, mentions: "Sequence[Numbered]", actions: "Sequence[Action]"
    ) -> list[Word]:
        """No words."""
        return []

    def most_unread(
        self, question: str, mentions: "Sequence[Numbered]", actions: "Sequence[Action]"
    ) -> float:
        """Nothing is known."""
        return 0.0


def account_beside(source: str, kg: KnowledgeGraph) -> WordReader:
    """The account beside the weights of a model, with the names of a graph; or none.

    Raises ModelError for one that is broken.
    """
    try:
        folder = model_folder(source)
    except ModelError:  # a model that was made here
        folder = None
    if folder is None:
        return NoAccount()
    from .word_account import read_account

    try:
        return read_account(folder, names_of(kg)) or NoAccount()
    except Exception as error:  # the libraries raise many kinds for a broken file
        reason = " ".join(str(error).split())[:300]
        raise ModelError(
            f"{folder}: the account of words cannot be read ({reason})", "copy its folder again"
        ) from error


def names_of(kg: KnowledgeGraph) -> Callable[[str], str]:
    """The display names of relations and classes, each looked up once; nothing has an empty one."""

    @cache
    def name(term: str) -> str:
        return kg.walk_labels.names([term])[0] if term else ""

    return name


UNREAD, FILLER = "unread", "filler"


def is_read(words: Sequence[Word]) -> bool:
    """Whether the query makes anything of any word."""
    return any(word["used_by"] not in (UNREAD, FILLER) for word in words)


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
