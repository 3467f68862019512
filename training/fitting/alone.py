"""Learns by which words a question stands alone, and by which it follows on from the one before.

`python -m groundwalk.training.fitting.alone OUT.json` makes the weights of English anew, in some
minutes: from generated questions over the bundled graph and over graphs that are made of domains,
from whole questions over small graphs, which all stand alone, and from such that follow on.
"""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from ...agent.conversation.alone import without_names
from ...agent.kg import open_kg
from ...agent.llm.bag_of_words import Scope, features_of
from ...agent.query.actions import LITERAL
from ...agent.query.named_values import values_in
from ...agent.query.prompt import Numbered
from ..material import Material, gather
from ..queries.typed import TypedQuestion, typed_question
from ..reader.asked import asked_graphs
from ..reader.made_graphs import made_graph, read_domain
from ..recipe import Recipe
from ..wording.english import domain_files, following_questions
from .words import regressed

_BRACKETED = re.compile(r"\[[^\]]+\]")
_BUNDLED, _DOMAINS, _OF_DOMAIN = 150_000, 12, 4_000
_FOLLOWING = 4
"""How many times a question that follows on counts: they are rarer than in a conversation."""
_OF_ASKED = 3
"""Of so many whole questions one is learnt from, or they would outweigh those that follow on."""
_LEAST = 5
"""Questions that a word or pair of words is in at least."""
_SMALL = 0.1
"""Weights below are left out."""


class Heard(NamedTuple):
    """A question without its names, and whether its query begins at what came before."""

    text: str
    follows: bool


def main(arguments: Sequence[str]) -> None:
    """Fit the weights on questions of both kinds, and write them."""
    (out,) = arguments
    heard = [*_of_bundled(), *_of_domains(), *islice(_asked(), None, None, _OF_ASKED), *_written()]
    scope = fit(heard)
    content = {"bias": scope.bias, "weights": scope.weights}
    text = json.dumps(content, ensure_ascii=False, indent=0, sort_keys=True)
    Path(out).write_text(text + "\n", encoding="utf-8")
    following = sum(question.follows for question in heard)
    print(f"{len(heard):,} questions, {following:,} follow on; {len(scope.weights):,} weights")


def fit(heard: Sequence[Heard]) -> Scope:
    """Logistic regression of whether a question stands alone; each weight has a unit prior."""
    counted = [question for question in heard for _ in range(_FOLLOWING if question.follows else 1)]
    return regressed(
        [features_of(question.text) for question in counted],
        [not question.follows for question in counted],
        least=_LEAST,
        small=_SMALL,
    )


def follows(asked: TypedQuestion) -> bool:
    """Whether a query begins at earlier answers or topics, or at a name of the question before."""
    mention_count = len(asked.mentions)
    actions = asked.actions or ()
    for index, action in enumerate(actions):
        is_literal = index > 0 and actions[index - 1].kind in LITERAL
        if action.kind in ("topics", "answers"):
            return True
        if action.kind == "pointer" and not is_literal and (action.number or 0) >= mention_count:
            return True
    return False


def _of_bundled() -> Iterator[Heard]:
    kg = open_kg("world")
    yield from _heard(gather(kg, "world", Recipe(formats=("path", "query"))), _BUNDLED)
    kg.close()


def _of_domains() -> Iterator[Heard]:
    files = sorted(domain_files())
    for number, file in enumerate(files[:: max(1, len(files) // _DOMAINS)]):
        with TemporaryDirectory() as folder:
            made = made_graph(read_domain(file), Path(folder), number)
            yield from _heard(made.material, _OF_DOMAIN)
            made.kg.close()


def _asked() -> Iterator[Heard]:
    for asked in chain.from_iterable(graph.questions for graph in asked_graphs(apart=False)):
        kinds = {(it.start, it.end): it.kind for it in values_in(asked.question)}
        named = [(it.start, it.end) for it in asked.mentions]
        mentions = [Numbered(*span, kinds.get(span, "")) for span in named]
        yield Heard(without_names(asked.question, mentions), follows=False)


def _written() -> Iterator[Heard]:
    for line in following_questions():
        spans = [(match.start(), match.end()) for match in _BRACKETED.finditer(line)]
        kinds = ("number" if values_in(line[start:end]) else "" for start, end in spans)
        mentions = [Numbered(*span, kind) for span, kind in zip(spans, kinds, strict=True)]
        yield Heard(without_names(line, mentions), follows=True)


def _heard(material: Material, count: int) -> Iterator[Heard]:
    assert material.queries is not None
    for question in islice(material.queries.stream(material.seed), count):
        asked = typed_question(question)
        if asked is not None and asked.actions is not None:
            yield Heard(without_names(asked.question, asked.mentions), follows(asked))


if __name__ == "__main__":
    main(sys.argv[1:])
