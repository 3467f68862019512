"""Longer questions out of questions that follow one relation from one thing.

"Who wrote [A]?" and "What is the sequel of [B]?" make "Who wrote the sequel of [B]?", and "Who
wrote [A] and directed [B]?" is made of two that begin alike. Nothing but the words tells which
relation comes first, and whether one is enough: the labels of all are offered at each hop.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from random import Random
from typing import NamedTuple

from ...agent.query.actions import Action
from ...agent.reader.lexicon import MOST_WORDS, QuestionWord, label_words
from ..wording.english import forms_of_all
from .examples import Example, with_words
from .made_graphs import is_value
from .sources import SchemaLabels

COMPOSED = "composed"
_BEGINNING = 2
"""Words with which a question begins that are no part of what it asks about."""
_OFTEN = 0.015
"""The share of all questions that begin alike, where that is only a beginning."""
_LONGER = 0.3
"""How many have a third hop."""
_IN_LABELS = 0.5
"""How many hops inside are said by their label."""
_SAME = 0.15
"""How many things inside are those that have something in common with another, where the hop to
them is no inverse one."""
_CONJUNCTIONS = 0.3
"""How many ask for what two things have in common."""
_THIRD = 0.15
"""How many of these go on to a third."""
_UNSAID = 0.25
"""How many things that answers have are said by their name alone, as in "a Maltese ship"."""
_TRIES = 20
"""Questions that are drawn until one names another thing."""


def composed(
    examples: Iterable[Example], schemas: Mapping[str, SchemaLabels], count: int, seed: int
) -> list[Example]:
    """So many questions, each out of questions over one schema.

    Of `examples` those count that follow one relation from one thing. Two are only joined by "and"
    where both lead to things of the same class; where `schemas` does not tell of either, that is
    taken for granted.
    """
    rng = Random(f"composed {seed}")
    parts = _Parts([one for one in examples if _is_single(one)], schemas)
    made = list[Example]()
    while parts.single and len(made) < count:
        outer = rng.choice(parts.single)
        conjoined = _conjoined(outer, parts, rng) if rng.random() < _CONJUNCTIONS else None
        if conjoined is not None:
            third = _conjoined(conjoined, parts, rng) if rng.random() < _THIRD else None
            outer = third or conjoined
        else:
            for _ in range(2 if rng.random() < _LONGER else 1):
                outer = _joined(outer, *_inner(parts, outer.schema, rng))
        if len(outer.words) < MOST_WORDS:
            made.append(outer)
    return made


class _Inner(NamedTuple):
    """Words for a thing, and the hops that lead to it."""

    words: Sequence[QuestionWord]
    hops: Sequence[Action]


class _Parts:
    """Questions that follow one relation from one thing, by what they can be joined to."""

    def __init__(self, single: Sequence[Example], schemas: Mapping[str, SchemaLabels]) -> None:
        self.forms = forms_of_all("inside")
        self.single = single
        self.by_schema = defaultdict[str, list[Example]](list)
        self._by_classes = defaultdict[tuple[str, frozenset[str]], list[Example]](list)
        ends = defaultdict[tuple[str, str, bool], set[str]](set)
        for name in {example.schema for example in single}.intersection(schemas):
            for hop in schemas[name].hops:
                ends[name, hop.label, False].add(hop.tail)
                ends[name, hop.label, True].add(hop.head)
        self._ends = {key: frozenset(classes) for key, classes in ends.items()}
        for example in single:
            self.by_schema[example.schema].append(example)
            self._by_classes[self._classes(example)].append(example)
        self.inside = {name: list(_inside(questions)) for name, questions in self.by_schema.items()}

    def _classes(self, example: Example) -> tuple[str, frozenset[str]]:
        """The schema, and the classes that answers may have; none where they are not known."""
        hop = example.actions[1]
        return example.schema, self._ends.get((example.schema, hop.name, hop.inverse), frozenset())

    def beside(self, example: Example, rng: Random) -> Example | None:
        """Another question for what is of the same class; None where that is a value."""
        key = self._classes(example)
        if any(end and is_value(end) for end in key[1]):
            return None
        asked = {word.text for word in example.words if word.mention is not None}
        for _ in range(_TRIES):
            other = rng.choice(self._by_classes[key])
            if not any(word.text in asked for word in other.words if word.mention is not None):
                return other
        return None


def _is_single(example: Example) -> bool:
    kinds = [action.kind for action in example.actions]
    mentions = [word.what for word in example.words if word.mention is not None]
    return kinds == ["pointer", "step", "end"] and mentions == ["thing"]


def _inside(questions: Sequence[Example]) -> Iterator[_Inner]:
    """What questions ask about, without their beginning, where that begins or ends in a mention."""
    begun = Counter(_beginning(question) for question in questions)
    for question in questions:
        words = _without_punctuation(question.words)
        rest = words[_BEGINNING:]
        if not rest or begun[_beginning(question)] < _OFTEN * len(questions):
            continue
        if sum(word.mention is not None for word in rest) == 1 and (
            rest[0].mention is not None or rest[-1].mention is not None
        ):
            yield _Inner(rest, question.actions[1:2])


def _without_punctuation(words: Sequence[QuestionWord]) -> list[QuestionWord]:
    """The words without punctuation."""
    return [word for word in words if word.mention is not None or any(map(str.isalnum, word.text))]


def _beginning(example: Example) -> tuple[str, ...]:
    return tuple(word.text for word in example.words[:_BEGINNING])


def _inner(parts: _Parts, schema: str, rng: Random) -> _Inner:
    example = rng.choice(parts.by_schema[schema])
    hop, inside = example.actions[1], parts.inside[schema]
    if rng.random() < _SAME and not hop.inverse:
        back = hop._replace(inverse=True)
        return _Inner(_worded(example, rng.choice(parts.forms["same"])), (hop, back))
    if inside and (hop.inverse or rng.random() >= _IN_LABELS):
        return rng.choice(inside)
    return _Inner(_worded(example, rng.choice(parts.forms["thing"])), (hop,))


def _worded(example: Example, form: Sequence[str]) -> list[QuestionWord]:
    """The thing of a question and the label of its relation, in these words."""
    parts = {
        "{thing}": [word for word in example.words if word.mention is not None],
        "{label}": plain_words(label_words(example.actions[1].name)),
    }
    return filled(form, parts)


def filled(form: Sequence[str], parts: Mapping[str, Sequence[QuestionWord]]) -> list[QuestionWord]:
    """The words of a form, with what stands for each of its parts."""
    return [word for part in form for word in parts.get(part, plain_words([part]))]


def plain_words(texts: Iterable[str]) -> list[QuestionWord]:
    """Words that are no mentions."""
    return [QuestionWord(0, 0, text) for text in texts]


def _joined(outer: Example, inner: Sequence[QuestionWord], hops: Sequence[Action]) -> Example:
    """The question with the words of another thing in the place of its mention."""
    words = [
        replace(other, mention=word.mention) if other.mention is not None else other
        for word in outer.words
        for other in (inner if word.mention is not None else (word,))
    ]
    pointer, *rest = outer.actions
    return with_words(outer.schema, COMPOSED, words, (pointer, *hops, *rest))


def _conjoined(first: Example, parts: _Parts, rng: Random) -> Example | None:
    """The question that asks for what is besides an answer to another; None where there is none."""
    second = parts.beside(first, rng)
    if second is None:
        return None
    count = sum(action.kind == "pointer" for action in first.actions)
    hop, words = second.actions[1], _without_punctuation(first.words)
    (thing,) = (word for word in second.words if word.mention is not None)
    inner = (Action("and"), Action("pointer", number=count), hop, Action("end"))
    actions = (*first.actions[:-1], *inner, first.actions[-1])
    if hop.inverse and rng.random() < _UNSAID:
        at = rng.randint(min(_BEGINNING, len(words)), len(words))
        words = [*words[:at], replace(thing, mention=count), *words[at:]]
        return _renumbered(with_words(first.schema, COMPOSED, words, actions))
    shared = _alike(words, second.words)
    if shared and rng.random() >= _IN_LABELS:
        more = _without_punctuation(second.words)[shared:]
    else:
        more = _worded(second, rng.choice(parts.forms["has" if hop.inverse else "had"]))
    more = [word if word.mention is None else replace(word, mention=count) for word in more]
    between = plain_words(rng.choice(parts.forms["and"]))
    return with_words(first.schema, COMPOSED, [*words, *between, *more], actions)


def _alike(first: Sequence[QuestionWord], second: Sequence[QuestionWord]) -> int:
    """How many words both begin with, none of them a mention."""
    count = 0
    for one, other in zip(first, _without_punctuation(second), strict=False):
        if one.mention is not None or other.mention is not None or one.text != other.text:
            break
        count += 1
    return count


def _renumbered(example: Example) -> Example:
    """The same question, its mentions and the walks from them in the order of its words."""
    order = [word.mention for word in example.words if word.mention is not None]
    number = {before: after for after, before in enumerate(order)}
    walks = [
        (number[pointer.number], hop)
        for pointer, hop in zip(example.actions, example.actions[1:], strict=False)
        if pointer.kind == "pointer" and pointer.number is not None
    ]
    first, *others = [
        (Action("pointer", number=at), hop) for at, hop in sorted(walks, key=itemgetter(0))
    ]
    ands = [action for walk in others for action in (Action("and"), *walk, Action("end"))]
    words = [
        word if word.mention is None else replace(word, mention=number[word.mention])
        for word in example.words
    ]
    return with_words(example.schema, COMPOSED, words, (*first, *ands, Action("end")))
