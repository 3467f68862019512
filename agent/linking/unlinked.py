"""Names in a question that are not linked to anything, as their capitals tell them."""

from collections.abc import Iterable, Sequence

from ..kg.labels.index import Word
from ..kg.labels.names import normalise
from .plausible import casing_of
from .spans import Span, Token, tokenise
from .words import OF_DATES_AND_MONEY, is_everyday, is_ordinary


def names_beside(
    question: str, taken_stretches: Sequence[tuple[int, int]], everyday: frozenset[str]
) -> list[Span]:
    """The stretches of capitalised words outside `taken_stretches`, in the question's order.

    Words that open a sentence have a capital anyway, and where all words have one it says nothing.
    A stretch of `everyday` and ordinary words alone is none.
    """
    tokens = tokenise(question)
    if not casing_of(tokens, everyday).informative:
        return []
    runs = list[list[int]]()
    for position, token in enumerate(tokens):
        if not _may_be_of_name(token, taken_stretches):
            continue
        follows = bool(runs) and runs[-1][-1] == position - 1
        if follows and question[tokens[position - 1].end : token.start].isspace():
            runs[-1].append(position)
        else:
            runs.append([position])
    names = (run for run in runs if any(_is_strange(tokens[at], everyday) for at in run))
    return [Span(tokens[run[0]].start, tokens[run[-1]].end, run[0], run[-1]) for run in names]


def words_of_no_name(vocabulary: Iterable[Word]) -> frozenset[str]:
    """The words of a graph's relations and classes, and those of dates and money."""
    of_labels = (word for entry in vocabulary for word in normalise(entry.text).split())
    return OF_DATES_AND_MONEY.union(of_labels)


def may_be_missing(text: str, no_names: frozenset[str]) -> bool:
    """Whether something may be called so that the graph lacks; all `no_names` are there."""
    return not is_everyday(normalise(text).split(), no_names)


def _may_be_of_name(token: Token, taken_stretches: Sequence[tuple[int, int]]) -> bool:
    is_free = all(token.end <= start or end <= token.start for start, end in taken_stretches)
    return is_free and token.text[0].isupper() and not token.opens and not token.tail


def _is_strange(token: Token, everyday: frozenset[str]) -> bool:
    """Whether a word is none of everyday questions, and none of English that is known."""
    return not is_everyday([token.norm], everyday) and not is_ordinary(token.norm)
