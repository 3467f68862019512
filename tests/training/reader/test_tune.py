"""A reader is tuned to a graph: its folder answers, and it is never worse than it was."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from groundwalk.agent.errors import DatasetError, InputError
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.agent.options import Options
from groundwalk.agent.query.actions import Action
from groundwalk.agent.reader.inputs import KIND_NUMBERS, NONE
from groundwalk.agent.reader.lexicon import LEXICON_FILE, make_lexicon, words_of
from groundwalk.agent.reader.weights import (
    WEIGHTS_FILE,
    ReaderWeights,
    open_reader,
    write_weights,
)
from groundwalk.training.reader import tune
from groundwalk.training.reader.card import CARD, EARLIER_CARD, OTHERS
from groundwalk.training.reader.examples import Example
from groundwalk.training.reader.learning import Right
from groundwalk.training.reader.tune import (
    ASKED,
    LEARNT,
    MADE,
    SHARES,
    Candidate,
    is_held_out,
    nearest_as_good,
    reworded,
)
from groundwalk.training.reader.tuning import between, kept_apart, mixed, replayed
from groundwalk.training.recipe import Recipe
from groundwalk.training.trainer.watched import Watcher
from hypothesis import given
from hypothesis import strategies as st

from ...agent.reader.tiny import TURTLE, film_graph, tiny_reader
from ...whole import build_graph
from ..brief import brief_tuning
from .test_tuning import MORE

OTHER_GRAPH = "tuned to another graph"


class Heard(Watcher):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.steps = list[int]()
        self.parts = dict[str, list[tuple[int, int]]]()

    def step(self, done: int, steps: int, loss: float, hits: float | None) -> None:
        self.steps.append(done)

    def part(self, name: str, done: int, total: int) -> None:
        self.parts.setdefault(name, []).append((done, total))


class Stopped(Watcher):
    """Whoever watches presses Ctrl-C."""

    def step(self, done: int, steps: int, loss: float, hits: float | None) -> None:
        if done:
            raise KeyboardInterrupt


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    brief_tuning(monkeypatch)


@pytest.fixture
def films(tmp_path: Path) -> Path:
    file = tmp_path / "films.ttl"
    file.write_text(TURTLE + MORE, encoding="utf-8")
    return file


@pytest.fixture
def reader(tmp_path: Path) -> Path:
    folder = tmp_path / "reader"
    folder.mkdir()
    write_weights(folder, tiny_reader())
    (folder / CARD).write_text("an earlier card\n", encoding="utf-8")
    return folder


def ask(kg: KnowledgeGraph | str, reader: Path, question: str) -> Any:
    agent = build_graph("query", kg=kg, reader=str(reader), checkpointer=False)
    options = Options(on_ambiguous="best", confidence=0.0)
    return agent.invoke({"question": question}, context=options)


@pytest.mark.slow
def test_a_tuned_folder_answers(films: Path, reader: Path, tmp_path: Path) -> None:
    out, heard = tmp_path / "tuned", Heard()
    report = tune.tune(str(films), out, Recipe(steps=80), str(reader), heard)
    assert report.share > 0
    assert report.held_out.after > report.held_out.before
    assert report.held_out.questions >= 25
    assert heard.steps == list(range(5, 81, 5))
    without = "asking what is taken out of the graph"
    for name in (without, "answering questions", "accounting for their words", "making questions"):
        assert heard.parts[name][-1][0] == heard.parts[name][-1][1]
    settings = open_reader(str(out)).settings
    assert settings.kg == report.digest
    assert 0 <= settings.threshold <= 1
    card = (out / CARD).read_text(encoding="utf-8")
    assert str(films) in card and f"{settings.threshold:.4f}" in card
    assert (out / EARLIER_CARD).read_text(encoding="utf-8") == "an earlier card\n"
    earlier = tiny_reader().network.weights["table.weight"]
    kept = open_reader(str(out)).load().network.weights["table.weight"]
    assert np.array_equal(kept, earlier.astype(np.float16)), "what letters are like is not tuned"
    state = ask(str(films), out, "Who directed Film 3?")
    assert state["reading"]
    assert not any(OTHER_GRAPH in note for note in state["notes"])
    (tmp_path / "other").mkdir()
    kg = film_graph(tmp_path / "other")
    notes = ask(kg, out, "Who directed Rain?")["notes"]
    kg.close()
    assert sum(OTHER_GRAPH in note for note in notes) == 1
    tune.tune(str(films), out, Recipe(steps=5), str(out))
    assert (out / EARLIER_CARD).read_text(encoding="utf-8") == "an earlier card\n"


@pytest.mark.slow
def test_a_reader_that_tuning_makes_worse_keeps_its_weights(
    films: Path, reader: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoilt(*_: Any) -> ReaderWeights:
        """A reader that never comes to an end."""
        other = tiny_reader()
        for name in ("end", NONE):
            other.network.weights["kinds.bias"][KIND_NUMBERS[name]] -= 1_000.0
        return other

    monkeypatch.setattr(tune, "tuned", spoilt)
    out = tmp_path / "tuned"
    report = tune.tune(str(films), out, Recipe(steps=5), str(reader))
    assert report.share == 0
    assert report.held_out.after == report.held_out.before
    for name in (WEIGHTS_FILE, LEXICON_FILE):
        assert (out / name).read_bytes() == (reader / name).read_bytes()
    assert open_reader(str(out)).settings.kg == report.digest
    assert "did not help" in (out / CARD).read_text(encoding="utf-8")


def test_a_reader_that_forgets_how_people_ask_keeps_its_weights(
    films: Path, reader: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = tiny_reader().network.weights["word.weight"].astype(np.float16).astype(np.float32)

    def scored(module: Any, _: Any, parts: Mapping[str, Sequence[Example]]) -> dict[str, Right]:
        """All questions over the graph read after tuning, and one less of those over others."""
        is_tuned = not np.array_equal(module.word.weight.detach().numpy(), earlier)
        of_others = 0.4 if is_tuned else 0.5
        return {n: Right(1.0, of_others if n == OTHERS else float(is_tuned)) for n in parts}

    monkeypatch.setattr(tune, "scored", scored)
    report = tune.tune(str(films), tmp_path / "tuned", Recipe(steps=5), str(reader))
    assert report.share == 0
    assert report.held_out.after == 0


def candidates(
    made: Sequence[float], asked: Sequence[float], learnt: Sequence[float]
) -> list[Candidate]:
    """Weights that read so much of what was made, of the user's, and of what was learnt."""
    reader = tiny_reader()
    return [
        Candidate(share, reader, {MADE: Right(1, m), ASKED: Right(1, a)}, {LEARNT: Right(1, n)})
        for share, m, a, n in zip((0.0, *SHARES), made, asked, learnt, strict=True)
    ]


def test_of_weights_that_are_as_good_the_nearest_are_kept() -> None:
    none, sizes = [0.0] * 5, {MADE: 75, ASKED: 2}

    def share(made: list[float], asked: list[float] = none, learnt: list[float] = none) -> float:
        return nearest_as_good(candidates(made, asked, learnt), sizes).share

    alike, apart = [0.50, 0.80, 0.86, 0.88, 0.89], [0.30, 0.60, 0.70, 0.80, 0.89]
    assert share(alike) == 0.5
    assert share(apart) == share(apart, [0.5] * 5) == 1.0
    assert share([0.5] * 5) == 0.0
    assert share([0.50, 0.80, 0.97, 0.99, 1.0]) == 0.75
    for more in ([0.0, 0.1, 0.1, 0.2, 0.2], [0.2, 0.2, 0.2, 0.4, 0.3]):
        assert share(alike, asked=more) == share(alike, learnt=more) == 0.75
    assert share(alike, [0.0, 0.0, 0.4, 0.5, 0.5], [0.0, 0.0, 0.9, 0.8, 0.8]) == 0.75


@given(
    st.lists(st.tuples(*[st.integers(0, 20)] * 3), min_size=5, max_size=5), st.integers(20, 10_000)
)
def test_no_nearer_weights_are_as_good_in_every_part(
    rights: list[tuple[int, int, int]], count: int
) -> None:
    made, asked, learnt = ([n / 20 for n in of] for of in zip(*rights, strict=True))
    every = candidates(made, asked, learnt)
    chosen = nearest_as_good(every, {MADE: count, ASKED: count})
    sums, place = [sum(scores) for scores in rights], every.index(chosen)
    assert sums[place] > sums[0] or place == 0
    assert sums[place] >= max(sums) - 20 * (0.25 / count) ** 0.5
    nearer = rights[:place]
    assert not any(all(a >= b for a, b in zip(one, rights[place], strict=True)) for one in nearer)


def test_questions_of_the_user(films: Path, reader: Path, tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = [
        {"question": f"who made Film {n}?", "topics": [f"Film {n}"], "answers": [f"Person {n}"]}
        for n in range(7)
    ]
    query = {"start": [0], "steps": [{"relation": "directed By", "inverse": True}]}
    lines += [
        {"question": f"what did Person {n} make", "query": query, "mentions": [f"Person {n}"]}
        for n in range(7)
    ]
    lines += [
        {"question": "who made Sunset?", "topics": ["Sunset"], "answers": ["Person 1"]},
        {"question": "who made Film 8?", "topics": ["Film 8"], "answers": ["Nobody"]},
        {"question": "who is like Film 8?", "topics": ["Film 8"], "answers": ["Film 9", "Rain"]},
    ]
    asked = tmp_path / "asked.jsonl"
    asked.write_text("".join(json.dumps(own) + "\n" for own in lines), encoding="utf-8")
    heard = Heard()
    report = tune.tune(
        str(films), tmp_path / "tuned", Recipe(steps=5, questions=asked), str(reader), heard
    )
    apart = sum(is_held_out(own["question"]) for own in lines[:14])
    assert apart and report.parts["asked"].questions == apart
    assert report.lessons == 14 - apart
    assert report.dropped == {
        "whose topic the graph or the question does not name": 1,
        "whose answers the graph does not hold": 1,
        "whose answers no query gives": 1,
    }
    assert heard.parts["looking for the queries of questions"][-1] == (17, 17)
    asked.write_text(json.dumps(lines[14]) + "\n", encoding="utf-8")
    with pytest.raises(DatasetError, match="no question is of use"):
        tune.tune(str(films), tmp_path / "no", Recipe(questions=asked), str(reader))


def test_hand_written_questions_fit_the_thresholds(
    films: Path, reader: Path, tmp_path: Path
) -> None:
    written = [
        {"question": "Who directed Film 3?", "answers": [{"label": "Person 3"}]},
        {"question": "Who paid for Film 3?", "answers": []},
    ]
    file = tmp_path / "written.jsonl"
    file.write_text("".join(json.dumps(own) + "\n" for own in written), encoding="utf-8")
    heard = Heard()
    recipe = Recipe(steps=80, tuning=file)
    report = tune.tune(str(films), tmp_path / "tuned", recipe, str(reader), heard)
    assert report.share > 0
    assert heard.parts["answering questions"][-1] == (2, 2)


def test_a_tuning_that_is_stopped_leaves_nothing(films: Path, reader: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    with pytest.raises(KeyboardInterrupt):
        tune.tune(str(films), tmp_path / "tuned", Recipe(steps=50), str(reader), Stopped())
    assert sorted(tmp_path.iterdir()) == before


def test_what_is_no_reader_is_not_replaced(films: Path, reader: Path, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "groundwalk.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="is not a reader"):
        tune.tune(str(films), tmp_path / "model", Recipe(), str(reader))


def test_a_word_of_a_label_is_said_by_another() -> None:
    lexicon = make_lexicon([], [("directed", "guided"), ("directed", "made")])
    words = words_of("who directed it", ())
    actions = (Action("step", "directed by"), Action("end"))
    example = Example("made", "graph", words, actions, (), ())
    found = reworded(example, {"directed", "by", "made"}, lexicon, Random(0))
    assert found and [own.text for own in found.words] == ["who", "guided", "it"]
    assert reworded(example, {"guided", "made"}, lexicon, Random(0)) is None


def test_other_graphs_are_among_the_questions() -> None:
    others, apart = replayed(0, Watcher()), kept_apart(0)
    assert len(others.schemas) == 4 and not {*others.schemas} & {*apart.schemas}
    for each in (others, apart):
        assert {own.schema for own in each.examples} == set(each.schemas)
        assert len({example.words for example in each.examples}) > 0.9 * len(each.examples)
    example = replace(others.examples[0], schema="graph")
    mix = mixed(cycle([example]), others.examples, 0.5, 0)
    count = sum(own is example for own in islice(mix, 400))
    assert 160 < count < 240
    assert all(own is example for own in islice(mixed(cycle([example]), (), 0.5, 0), 9))


def test_half_way_between_two_readers() -> None:
    start, end = tiny_reader(), tiny_reader(seed=1)
    half = between(start, end, 0.5).network.weights["word.weight"]
    both = start.network.weights["word.weight"], end.network.weights["word.weight"]
    assert np.allclose(half, (both[0] + both[1]) / 2)
    assert between(start, end, 0.0) is start
    assert between(start, end, 1.0) is end
