"""`groundwalk train` as it is by default: the general reader, tuned to one graph in minutes.

Its weights are never worse for it: of those between the reader and the tuned one the ones are
kept that read most of the held-out questions, and these may be the reader's own. The thresholds are
fitted to the graph either way.
"""

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shutil import copyfile
from typing import NamedTuple

from ...agent.errors import DatasetError
from ...agent.kg import KnowledgeGraph
from ...agent.llm.local import few_threads
from ...agent.query.account import names_of
from ...agent.reader.weights import (
    BUNDLED,
    SETTINGS_FILE,
    ReaderWeights,
    open_reader,
    reader_folder,
    write_weights,
)
from ..asked import asked_questions, tuning_questions
from ..data import Material, gather, open_graph
from ..folder import check_out, replaced
from ..lessons import Asked as Given
from ..query_encode import Asked, asked_of
from ..query_lessons import query_lessons
from ..query_question import QueryQuestion
from ..recipe import Recipe
from ..tuning import without_answer
from ..watch import Unwatched, Watcher, counted
from .batches import PLAIN, Batcher, pools_of
from .examples import Example, made_example
from .held_out import ASKED, held_out, is_held_out, scored
from .learning import Right
from .replay import replay_of
from .thresholds import fit_to_graph
from .tune_report import CARD, EARLIER_CARD, Part, TuneReport, write_tune_card
from .tuning import SCHEMA, Tuning, between, schema_of, tuned

SHARES = (0.25, 0.5, 0.75, 1.0)
"""How far the weights may go on the way to the tuned ones, beside not at all."""
_TAUGHT = 0.5
"""How many of the questions that are learnt are the user's, where there are any."""
_MOST_HELD_OUT = 150
_FEW = 10
"""Of fewer questions of the user none is held out."""
_HOPS = 3
_READING = "reading the graph and its relations"


class _Taught(NamedTuple):
    """The user's questions: those that are learnt, and those that are held out."""

    lessons: tuple[QueryQuestion, ...] = ()
    apart: tuple[Asked, ...] = ()
    examples: tuple[Example, ...] = ()
    """Those that are held out, as the reader reads them."""
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
    watcher = watcher or Unwatched()
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
        with few_threads(start.network):
            made = _tuned(kg, material, start, taught, recipe, watcher)
            fitted = fit_to_graph(made.reader, kg, made.material, taught.apart, written, watcher)
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
    kg: KnowledgeGraph, material: Material, given: Sequence[Given], hops: int, watcher: Watcher
) -> _Taught:
    """What the user's questions teach. Raises DatasetError where none of them is of use."""
    if not given:
        return _Taught()
    found = query_lessons(kg, material.graph, given, hops, watcher)
    dropped, named = found.dropped + found.missed, names_of(kg)
    lessons, apart, examples = list[QueryQuestion](), list[Asked](), list[Example]()
    for lesson in found.lessons:
        asked = asked_of(lesson)
        example = asked and made_example(asked, ASKED, SCHEMA, named)
        if asked is None or example is None:
            dropped["that are too long, or do not name what they mention"] += 1
        elif (
            len(found.lessons) >= _FEW
            and is_held_out(asked.question)
            and len(apart) < _MOST_HELD_OUT
        ):
            apart.append(asked)
            examples.append(example)
        else:
            lessons.append(lesson)
    if not lessons:
        reasons = "; ".join(f"{count} {reason}" for reason, count in dropped.items())
        raise DatasetError(f"no question is of use ({reasons})", "check that they fit the graph")
    return _Taught(tuple(lessons), tuple(apart), tuple(examples), dropped)


def _tuned(
    kg: KnowledgeGraph,
    material: Material,
    start: ReaderWeights,
    taught: _Taught,
    recipe: Recipe,
    watcher: Watcher,
) -> _Made:
    usual, schema = Tuning(seed=recipe.seed), schema_of(kg)
    tuning = replace(usual, steps=recipe.steps or usual.steps)
    parts: dict[str, Sequence[Example]] = {ASKED: taught.examples} if taught.examples else {}
    parts |= held_out(kg, material, schema, start.lexicon, SCHEMA, recipe.seed, watcher)
    every = [own for several in parts.values() for own in several]
    plain = Batcher(start.lexicon, pools_of(every, {SCHEMA: schema}), PLAIN)
    before = scored(start.network, plain, parts)
    if material.queries and taught.lessons:
        shares = replace(material.queries.shares, taught=_TAUGHT)
        queries = replace(material.queries, lessons=taught.lessons, shares=shares)
        material = replace(material, queries=queries)
    losses = [0.0]

    def told(step: int, loss: float) -> None:
        losses.append(loss)
        watcher.step(step, tuning.steps, loss, None)

    end = tuned(kg, material, start, tuning, told, replay_of(recipe.seed, watcher))
    best, share, after = start, 0.0, before
    for own in counted(SHARES, len(SHARES), "asking what was held out", watcher):
        reader = between(start, end, own)
        scores = scored(reader.network, plain, parts)
        if _sum(scores) > _sum(after):
            best, share, after = reader, own, scores
    counts = {
        name: Part(len(several), *(round(s[name].whole * len(several)) for s in (before, after)))
        for name, several in parts.items()
    }
    return _Made(best, share, counts, material, tuning.steps, losses[-1])


def _sum(scores: Mapping[str, Right]) -> float:
    """The shares of all parts, each counted alike, however many questions it has."""
    return round(sum(own.whole for own in scores.values()), 9)


def _keep_card(earlier: Path, folder: Path) -> None:
    """Copy the card of the reader that was started from."""
    card = next((own for own in (earlier / EARLIER_CARD, earlier / CARD) if own.is_file()), None)
    if card is not None:
        copyfile(card, folder / EARLIER_CARD)
