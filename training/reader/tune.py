"""`groundwalk train` as it is by default: the general reader, tuned to one graph in minutes.

Its weights are never worse for it. On the way from the reader to the tuned one those may be kept
that read no fewer of the held-out questions, and more of them and of the user's own together. Of
those that are as good as the best the nearest to the reader are kept, or the reader where none is
better. Held out are some questions of the user, made ones, made ones in which a word of a label is
said by another of the lexicon, and what people asked over other graphs. Of the latter no fewer may
be read either: made questions alone do not tell that a reader forgets how people ask. The
thresholds are fitted to the graph either way.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from itertools import chain, islice
from operator import ge
from pathlib import Path
from random import Random
from shutil import copyfile
from typing import TYPE_CHECKING, NamedTuple

from ...agent.errors import DatasetError
from ...agent.kg import KnowledgeGraph
from ...agent.llm.local import few_threads, need_torch
from ...agent.query.account import names_of
from ...agent.reader.lexicon import Lexicon, label_words
from ...agent.reader.weights import (
    BUNDLED,
    SETTINGS_FILE,
    ReaderWeights,
    open_reader,
    reader_folder,
    write_weights,
)
from ..asked.question_files import FileQuestion, asked_questions, tuning_questions
from ..card import check_out, replaced
from ..fitting.exams import without_answer
from ..material import Material, gather, open_graph
from ..queries.lessons import query_lessons
from ..queries.question import QueryQuestion
from ..queries.typed import TypedQuestion, typed_question
from ..recipe import Recipe
from ..trainer.watched import Watcher, counted
from .batches import Batcher
from .card import CARD, EARLIER_CARD, OTHERS, Part, TuneReport, write_tune_card
from .examples import Example, made_example
from .learning import Right, measured
from .made_graphs import examples_over
from .pools import PLAIN, pools_of
from .sources import SchemaLabels
from .thresholds import fit_to_graph
from .tuning import SCHEMA, TUNING, between, kept_apart, replayed, schema_of, tuned

if TYPE_CHECKING:
    from .module import ReaderModule


ASKED, MADE, REWORDED = "asked", "made", "reworded"
"""Held-out questions: those of the user, made ones, and made ones in other words."""
LEARNT = "learnt"
"""The user's questions that are not held out."""
_OF_EACH = 75
_MOST_DRAWN = 3_000
_SEED = 1_000_003
"""Added to the seed, so that other questions are made than those that are learnt."""
_SHARE = 5
"""Of so many questions of the user one is held out."""
SHARES = (0.25, 0.5, 0.75, 1.0)
"""How far the weights may go on the way to the tuned ones, beside not at all."""
_TAUGHT = 0.5
"""How many of those over the graph that are learnt are the user's, where there are any."""
_MOST_HELD_OUT = 150
_FEW = 10
"""Of fewer questions of the user none is held out."""
_HOPS = 3
_READING = "reading the graph and its relations"


class _Taught(NamedTuple):
    """The user's questions: those that are learnt, and those that are held out."""

    lessons: tuple[QueryQuestion, ...] = ()
    apart: tuple[TypedQuestion, ...] = ()
    examples: tuple[Example, ...] = ()
    """Those that are held out, as the reader reads them."""
    learnt: tuple[Example, ...] = ()
    """Those that are learnt, as the reader reads them."""
    dropped: Mapping[str, int] = {}
    """How many are neither, by reason."""


def tune(
    kg_source: str,
    out: Path,
    recipe: Recipe | None = None,
    reader: str = BUNDLED,
    watcher: Watcher | None = None,
) -> TuneReport:
    """Tune a reader to a graph and write its folder, which appears only when it is complete.

    Its thresholds are fitted on questions of the graph, or on `recipe.tuning`. Raises KGError,
    DatasetError, ModelError or InputError when the input is wrong.
    """
    started = time.monotonic()
    recipe = replace(recipe or Recipe(), formats=("path", "query"))
    watcher = watcher or Watcher()
    need_torch("tuning a reader", "train")
    check_out(out, SETTINGS_FILE, "reader that groundwalk tuned")
    opened = open_reader(reader)
    written = tuning_questions(kg_source, recipe)
    without_answer(written)  # which raises now what would be raised after the last step
    asked = asked_questions(recipe)
    watcher.part(_READING, 0, 2)
    kg = open_graph(kg_source, recipe, watcher)
    watcher.part(_READING, 1, 2)
    with closing(kg):
        start = opened.load()
        material = gather(kg, kg_source, replace(recipe, questions=None, dataset="", data=None))
        watcher.part(_READING, 2, 2)
        taught = _taught(kg, material, asked, recipe.hops or _HOPS, watcher)
        with few_threads(start.network.weights.values()):
            made = _tuned(kg, material, start, taught, recipe, watcher)
            for_all = None if start.settings.kg else start.settings.threshold
            fitted = fit_to_graph(
                made.reader, kg, made.material, taught.apart, written, watcher, for_all
            )
    report = TuneReport(
        out=out,
        kg=kg.source,
        digest=kg.digest,
        reader=reader,
        settings=fitted.settings,
        parts=made.parts,
        share=made.share,
        steps=made.steps,
        loss=round(made.loss, 4),
        seconds=round(time.monotonic() - started, 1),
        seed=recipe.seed,
        lessons=len(taught.lessons),
        dropped=dict(taught.dropped),
    )
    with replaced(out) as folder:
        write_weights(folder, fitted)
        _keep_card(reader_folder(reader), folder)
        write_tune_card(folder, report)
    return report


class _Made(NamedTuple):
    """A reader that was tuned, as far as it helped, and how that went."""

    reader: ReaderWeights
    share: float
    parts: Mapping[str, Part]
    material: Material
    steps: int
    loss: float


def _taught(
    kg: KnowledgeGraph,
    material: Material,
    given: Sequence[FileQuestion],
    hops: int,
    watcher: Watcher,
) -> _Taught:
    """What the user's questions teach. Raises DatasetError where none of them is of use."""
    if not given:
        return _Taught()
    queries = query_lessons(kg, material.graph, given, hops, watcher)
    dropped, named = queries.dropped + queries.missed, names_of(kg)
    may_hold_out = len(queries.lessons) >= _FEW
    lessons, apart = list[QueryQuestion](), list[TypedQuestion]()
    examples, learnt = list[Example](), list[Example]()
    for lesson in queries.lessons:
        asked = typed_question(lesson)
        example = asked and made_example(asked, ASKED, SCHEMA, named)
        if asked is None or example is None:
            dropped["that are too long, or do not name what they mention"] += 1
        elif may_hold_out and is_held_out(asked.question) and len(apart) < _MOST_HELD_OUT:
            apart.append(asked)
            examples.append(example)
        else:
            lessons.append(lesson)
            learnt.append(example)
    if not lessons:
        reasons = "; ".join(f"{count} {reason}" for reason, count in dropped.items())
        raise DatasetError(f"no question is of use ({reasons})", "check that they fit the graph")
    return _Taught(tuple(lessons), tuple(apart), tuple(examples), tuple(learnt), dropped)


def _tuned(
    kg: KnowledgeGraph,
    material: Material,
    start: ReaderWeights,
    taught: _Taught,
    recipe: Recipe,
    watcher: Watcher,
) -> _Made:
    from .module import module_of

    schema, steps = schema_of(kg), recipe.steps or TUNING.steps
    plan = replace(TUNING, seed=recipe.seed, steps=steps)
    parts: dict[str, Sequence[Example]] = {ASKED: taught.examples} if taught.examples else {}
    parts |= held_out(kg, material, schema, start.lexicon, recipe.seed, watcher)
    others = kept_apart(recipe.seed)
    parts[OTHERS] = others.examples
    every = [*chain.from_iterable(parts.values()), *taught.learnt]
    plain = Batcher(start.lexicon, pools_of(every, {SCHEMA: schema, **others.schemas}), PLAIN)
    before = scored(module_of(start.network), plain, parts)

    def learnt(reader: ReaderWeights) -> dict[str, Right]:
        known = {LEARNT: taught.learnt} if taught.learnt else {}
        return scored(module_of(reader.network), plain, known)

    if material.queries and taught.lessons:
        shares = replace(material.queries.shares, taught=_TAUGHT)
        queries = replace(material.queries, lessons=taught.lessons, shares=shares)
        material = replace(material, queries=queries)
    losses = [0.0]

    def report(step: int, loss: float) -> None:
        losses.append(loss)
        watcher.step(step, steps, loss, None)

    end = tuned(kg, material, start, plan, report, replayed(recipe.seed, watcher))
    candidates = [Candidate(0.0, start, before, learnt(start))]
    for share in counted(SHARES, len(SHARES), "asking what was held out", watcher):
        reader = between(start, end, share)
        scores = scored(module_of(reader.network), plain, parts)
        forgets = scores[OTHERS].whole < before[OTHERS].whole
        if not forgets and _sum(scores) >= _sum(before):
            candidates.append(Candidate(share, reader, scores, learnt(reader)))
    sizes = {name: len(part) for name, part in parts.items()}
    chosen = nearest_as_good(candidates, sizes)
    counts = {
        name: Part(size, *(round(right[name].whole * size) for right in (before, chosen.scores)))
        for name, size in sizes.items()
    }
    return _Made(chosen.reader, chosen.share, counts, material, steps, losses[-1])


class Candidate(NamedTuple):
    """Weights that may be kept: at a share of the way from the reader to the tuned ones."""

    share: float
    reader: ReaderWeights
    scores: Mapping[str, Right]
    """How much is read rightly of each part that was held out."""
    learnt: Mapping[str, Right]
    """The same of the user's questions that were learnt."""


def nearest_as_good(candidates: Sequence[Candidate], sizes: Mapping[str, int]) -> Candidate:
    """By the one-standard-error rule: of those as good as the best, the one nearest to the reader.

    The further, the more a reader forgets how people ask, which made questions do not show: they
    are in the words of labels. So a candidate is as good if it is within the standard error of the
    best, as far as the user's questions are not concerned, and reads no fewer of those. The first
    candidate is the reader itself, which is chosen where none is better.
    """

    def total(candidate: Candidate) -> float:
        return _sum({**candidate.scores, **candidate.learnt})

    def of_user(candidate: Candidate) -> tuple[float, ...]:
        rights = (candidate.scores.get(ASKED), candidate.learnt.get(LEARNT))
        return tuple(right.whole for right in rights if right is not None)

    def is_as_good(candidate: Candidate) -> bool:
        reads_no_fewer = all(map(ge, of_user(candidate), of_user(best)))
        is_better = total(candidate) > total(candidates[0])
        return reads_no_fewer and is_better and total(candidate) >= total(best) - error

    best = max(candidates, key=total)
    others = [(right.whole, sizes[name]) for name, right in best.scores.items() if name != ASKED]
    smoothed = [((rate * size + 1) / (size + 2), size + 2) for rate, size in others]
    error = sum(rate * (1 - rate) / size for rate, size in smoothed) ** 0.5
    return next(one for one in candidates if one is best or is_as_good(one))


def _sum(scores: Mapping[str, Right]) -> float:
    """The shares of all parts, each counted alike, however many questions it has."""
    return round(sum(right.whole for right in scores.values()), 9)


def _keep_card(earlier: Path, folder: Path) -> None:
    """Copy the card of the reader that was started from."""
    cards = (earlier / EARLIER_CARD, earlier / CARD)
    card = next((card for card in cards if card.is_file()), None)
    if card is not None:
        copyfile(card, folder / EARLIER_CARD)


def is_held_out(question: str) -> bool:
    """Whether a question of the user is held out; its text alone decides."""
    return int(sha256(question.strip().encode()).hexdigest(), 16) % _SHARE == 0


def held_out(
    kg: KnowledgeGraph,
    material: Material,
    schema: SchemaLabels,
    lexicon: Lexicon,
    seed: int,
    watcher: Watcher,
) -> dict[str, list[Example]]:
    """The parts that are made over a graph."""
    rng = Random(f"reworded {seed}")
    names = (*(hop.label for hop in schema.hops), *schema.classes)
    labels = {word for name in names for word in label_words(name)}
    drawn = islice(examples_over(kg, material, SCHEMA, seed + _SEED), _MOST_DRAWN)
    made = list(counted(drawn, _OF_EACH, "making questions", watcher))
    changed = filter(None, (reworded(example, labels, lexicon, rng) for example in drawn))
    others = list(counted(changed, _OF_EACH, "rewording questions", watcher))
    parts = {MADE: made, REWORDED: others}
    return {name: examples for name, examples in parts.items() if examples}


def reworded(
    example: Example, labels: Iterable[str], lexicon: Lexicon, rng: Random
) -> Example | None:
    """The question with a word of one of its labels said by another that no label has.

    None where the lexicon has no other one.
    """
    barred = frozenset(labels)
    others = [
        (index, other)
        for name, _, is_class in example.names
        if not is_class
        for index, word in enumerate(example.words)
        if not word.is_earlier and word.what == "word" and word.text in label_words(name)
        for other in sorted(_others(word.text, name, lexicon) - barred)
    ]
    if not others:
        return None
    index, other = rng.choice(others)
    words = list(example.words)
    words[index] = replace(words[index], text=other)
    return replace(example, words=tuple(words))


def _others(word: str, label: str, lexicon: Lexicon) -> set[str]:
    """The words that are related to one of a label, and its aliases of one word."""
    names = lexicon.aliases.get(label_words(label), ())
    aliases = (name[0] for name in names if len(name) == 1)
    return {*lexicon.related.get(word, ()), *aliases}


def scored(
    network: "ReaderModule", batcher: Batcher, parts: Mapping[str, Sequence[Example]]
) -> dict[str, Right]:
    """How much of each part of the held-out questions a network reads rightly."""
    return {name: measured(network, batcher, examples) for name, examples in parts.items()}
