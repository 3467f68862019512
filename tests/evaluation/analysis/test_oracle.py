"""The oracle, against walks over plain dictionaries, and in a run directory."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.llm.model_folder import ModelSettings, write_settings
from groundwalk.agent.options import Options
from groundwalk.evaluation.analysis.oracle import gold_accuracy
from groundwalk.evaluation.datasets import read_dataset
from groundwalk.evaluation.report.build import build_report
from groundwalk.evaluation.report.terminal import print_summary
from groundwalk.evaluation.runner.asking import Setup, open_sample_graph
from groundwalk.evaluation.runner.evaluate import evaluate
from groundwalk.evaluation.samples import Gold, NamedStep, Sample
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from ...agent.decoding import worlds
from ..datasets.files import text_file

NAMES = ("A", "B", "C", "D")
FACTS = st.frozensets(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(["r", "s"]), st.sampled_from(NAMES)),
    min_size=1,
    max_size=8,
)
PATHS = st.lists(st.tuples(st.sampled_from(["r", "s"]), st.booleans()), min_size=1, max_size=3)


def walked(
    facts: frozenset[tuple[str, str, str]], topic: str, path: list[NamedStep], *, back: bool
) -> Counter[str]:
    """What a relation path reaches, and by how many walks."""
    level = Counter({topic: 1})
    for relation, inverse in path:
        found = Counter[str]()
        for head, own, tail in facts:
            source, target = (tail, head) if inverse else (head, tail)
            if own == relation and (back or target != topic):
                found[target] += level[source]
        level = +found
    return level


@settings(max_examples=25, deadline=None)
@given(FACTS, PATHS, st.frozensets(st.sampled_from(NAMES), min_size=1), st.booleans())
def test_it_scores_what_the_gold_path_reaches(
    facts: frozenset[tuple[str, str, str]],
    path: list[NamedStep],
    gold: frozenset[str],
    back: bool,
) -> None:
    kg = open_sample_graph(Sample("graph", "?", graph=facts))
    sample = Sample("1", "?", tuple(Gold(label=g) for g in sorted(gold)), ("A",), path=tuple(path))
    options = Options(revisits="walk" if back else "no-topic")
    found = gold_accuracy(kg, [sample, replace(sample, path=()), Sample("2", "?")], options)
    kg.close()
    support = walked(facts, "A", path, back=back)
    ranked = sorted(support, key=lambda end: (-support[end], end))
    right = gold & support.keys()
    assert found is not None and found.questions == 1
    assert found.hits_at_1.mean == float(bool(ranked) and ranked[0] in gold)
    assert found.precision.mean == (len(right) / len(support) if support else 0)
    assert found.recall.mean == len(right) / len(gold)


def test_without_gold_paths_there_is_none(tmp_path: Path) -> None:
    kg = family(tmp_path)
    assert gold_accuracy(kg, [Sample("1", "?", (Gold(label="Ben"),), ("Ada",))], Options()) is None


def test_what_the_graph_does_not_have_is_a_miss(tmp_path: Path) -> None:
    kg = family(tmp_path)
    right = Sample("1", "?", (Gold(label="Ben"),), ("Ada",), path=(("starred_actors", False),))
    wrong = [replace(right, topics=("Zoe",)), replace(right, path=(("nothing", False),))]
    found = gold_accuracy(kg, [right, *wrong, replace(right, topics=())], Options())
    assert found is not None
    assert (found.questions, found.hits_at_1.mean) == (4, 0.25)


def family(folder: Path) -> KnowledgeGraph:
    text_file(folder / "kb.txt", "Ada|starred_actors|Ben", "Eve|starred_actors|Ben")
    return open_kg(str(folder / "kb.txt"), cache=folder / "cache")


@pytest.fixture(name="setup")
def _setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Setup:
    """A small MetaQA folder and a random model."""
    monkeypatch.setenv("GROUNDWALK_CACHE", str(tmp_path / "cache"))
    family(tmp_path).close()
    text_file(
        tmp_path / "2-hop" / "vanilla" / "qa_dev.txt",
        "films with an actor of [Ada]\tEve",
        "again films with an actor of [Eve]\tIda",
    )
    text_file(tmp_path / "2-hop" / "qa_dev_qtype.txt", *["movie_to_actor_to_movie"] * 2)
    tokenizer = worlds.byte_level()
    worlds.random_model(len(tokenizer)).float().save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    write_settings(tmp_path / "model", ModelSettings(hops=2, instruct=False))
    return Setup(
        dataset="metaqa",
        split="2-hop/dev",
        methods=("retrieve", "gcr"),
        kg=None,
        model=str(tmp_path / "model"),
        options=Options(on_ambiguous="best"),
    )


def test_a_run_has_it_beside_every_result(
    setup: Setup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    quiet = Console(quiet=True)
    out = tmp_path / "run"
    summary = evaluate(setup, out, data=tmp_path, first=1, console=quiet)
    assert summary.oracle is not None and summary.oracle.f1.mean == 1
    longer = evaluate(setup, out, data=tmp_path, console=quiet)
    assert longer.oracle is not None and longer.oracle.hits_at_1.mean == 0.5
    written = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    assert written["oracle"]["f1"]["mean"] == 0.5

    def never(*_: object) -> None:
        raise AssertionError("the summary has it")

    monkeypatch.setattr("groundwalk.evaluation.analysis.oracle.gold_accuracy", never)
    assert evaluate(setup, out, data=tmp_path, console=quiet) == longer
    print_summary(longer)
    line = "gold path: Hits@1 50.0, F1 50.0 (2 questions)"
    assert line in capsys.readouterr().out
    build_report([out])
    assert (out / "report.html").read_text(encoding="utf-8").count(line) == 1


@pytest.mark.data(
    "metaqa/kb.txt", "metaqa/1-hop", "pathquestion/PQL-2H.txt", "pathquestion/PQL-3H.txt"
)
@pytest.mark.parametrize(
    ("dataset", "split", "revisits", "hit", "precision", "recall"),
    [
        ("metaqa", "1-hop/dev", "no-topic", 1.0, 0.974, 1.0),
        ("pathquestion", "PQL-2H", "walk", 1.0, 1.0, 1.0),
        ("pathquestion", "PQL-3H", "walk", 1.0, 1.0, 1.0),
    ],
)
def test_the_gold_paths_of_public_data(
    public_data: Path,
    dataset: str,
    split: str,
    revisits: Any,
    hit: float,
    precision: float,
    recall: float,
) -> None:
    read = read_dataset(dataset, public_data / dataset, split)
    assert read.kg is not None
    kg = open_kg(read.kg)
    found = gold_accuracy(kg, read.samples[:2_000], Options(revisits=revisits))
    kg.close()
    assert found is not None
    assert found.hit.mean == pytest.approx(hit, abs=0.001)
    assert found.precision.mean == pytest.approx(precision, abs=0.02)
    assert found.recall.mean == pytest.approx(recall, abs=0.001)
