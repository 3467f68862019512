"""Questions for what has some values, over graphs in which no word says what that is.

"Which players are from Ghana and play as defender?" is asked of a graph that has no class of
players. In the questions over tables the answer is always in a column: a reader that met conditions
mostly there goes on to a column after every one. Here are the same tables with questions for the
rows themselves.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import NamedTuple

from ...agent.query.actions import Action
from ...agent.reader.lexicon import MOST_WORDS, QuestionWord, label_words
from ..wording.english import forms_of_all
from .composed import filled, plain_words
from .examples import Example, with_words
from .sources import SchemaLabels

ROWS = "rows"
_CONDITIONS = (1, 1, 2, 2, 2, 2, 3)
"""How many values a question names, one of these."""
_COUNTS = 0.12
"""How many questions are for a number."""
_BEFORE = 0.3
"""How many have a value before their noun."""
_UNSAID = 0.4
"""How many have a value without the label of its relation."""
_BEGINNING = 0.5
"""How many labels of several words are said by the first of them alone."""
_BOTH_WAYS = 0.15
"""How many questions ask for what two values of one relation have."""
_TRIES = 20
"""Nouns that are drawn until one is no word of a label."""


class _Cell(NamedTuple):
    """A value, and the label of the relation that leads to it."""

    word: QuestionWord
    label: str


def rows(
    examples: Iterable[Example],
    schemas: Mapping[str, SchemaLabels],
    nouns: Sequence[tuple[str, str]],
    count: int,
    seed: int,
) -> list[Example]:
    """So many questions for what has values; `nouns` are words for things, of one and of many.

    The values are those that the queries of `examples` begin at, each with its relation.
    """
    rng = Random(f"rows {seed}")
    cells = defaultdict[str, dict[_Cell, None]](dict)
    for example in examples:
        for cell in _cells(example):
            cells[example.schema].setdefault(cell)
    tables = [(schema, list(table)) for schema, table in cells.items()]
    forms = forms_of_all("rows")
    made = list[Example]()
    while tables and len(made) < count:
        schema, table = rng.choice(tables)
        labels = schemas[schema].hops if schema in schemas else ()
        said = {word for hop in labels for word in label_words(hop.label)}
        said |= {word for cell in table for word in label_words(cell.label)}
        asked = _asked(_drawn(table, rng), _noun(nouns, said, rng), forms, rng)
        if asked is not None:
            made.append(with_words(schema, ROWS, *asked))
    return made


def _cells(example: Example) -> Iterable[_Cell]:
    words = {word.mention: word for word in example.words if word.mention is not None}
    for pointer, hop in pairwise(example.actions):
        if pointer.number is not None and hop.kind == "step" and hop.inverse:
            word = words.get(pointer.number) if pointer.kind == "pointer" else None
            if word is not None and not word.is_earlier:
                yield _Cell(word, hop.name)


def _drawn(table: Sequence[_Cell], rng: Random) -> list[_Cell]:
    """Values of a table, mostly of as many relations."""
    cells = rng.sample(table, min(rng.choice(_CONDITIONS), len(table)))
    if rng.random() < _BOTH_WAYS:
        return cells
    return list({cell.label: cell for cell in cells}.values())


def _noun(nouns: Sequence[tuple[str, str]], said: set[str], rng: Random) -> tuple[str, str]:
    noun = rng.choice(nouns)
    for _ in range(_TRIES):
        if said.isdisjoint(label_words(" ".join(noun))):
            break
        noun = rng.choice(nouns)
    return noun


def _asked(
    cells: Sequence[_Cell],
    noun: tuple[str, str],
    forms: Mapping[str, Sequence[Sequence[str]]],
    rng: Random,
) -> tuple[list[QuestionWord], list[Action]] | None:
    """The words and the actions of a question; None where it is too long."""
    parts = {
        "{one}": plain_words(label_words(noun[0])),
        "{many}": plain_words(label_words(noun[1])),
    }
    counts, unsaid = rng.random() < _COUNTS, rng.random() < _UNSAID
    is_before = not counts and rng.random() < _BEFORE
    opening = "count" if counts else "before" if is_before else "one"
    words = list[QuestionWord]()
    if not is_before:
        words += filled(rng.choice(forms[opening]), parts)
    for number, cell in enumerate(cells):
        parts["{thing}"] = [replace(cell.word, mention=number)]
        parts["{label}"] = plain_words(_label(cell.label, rng))
        is_unsaid = unsaid and number == len(cells) - 1 and not is_before
        use = "before" if is_before and not number else "unsaid" if is_unsaid else "said"
        words += filled(rng.choice(forms["and"]), {}) if number > is_before else []
        words += filled(rng.choice(forms[use]), parts)
    if len(words) >= MOST_WORDS:
        return None
    walks = [
        (Action("pointer", number=number), Action("step", cell.label, True))
        for number, cell in enumerate(cells)
    ]
    first, *others = walks
    conditions = [action for walk in others for action in (Action("and"), *walk, Action("end"))]
    ending = [Action("count")] if counts else []
    return words, [*first, *conditions, *ending, Action("end")]


def _label(label: str, rng: Random) -> Sequence[str]:
    words = label_words(label)
    if len(words) > 1 and rng.random() < _BEGINNING:
        return words[: rng.randrange(1, len(words))]
    return words
