"""Training over a reading of a KG: the moves are its steps, and the trained model walks them."""

from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.kg import Reading, load_profile, open_kg
from groundwalk.agent.options import Options
from groundwalk.training.questions.graph import load_graph
from groundwalk.training.recipe import Recipe, Schedule, Size
from groundwalk.training.train import train
from hypothesis import given, settings

from ..agent.kg.derived.worlds import graphs, opened, readings
from ..graphs.test_readings import FREEBASE, proven
from ..whole import build_graph
from .brief import brief

QUESTIONS = """\
whom did [Ada Stone] marry\tBen Hill
where did [Ada Stone] marry\tOslo
where did [Ben Hill] marry\tOslo
"""


@settings(deadline=None, max_examples=40)
@given(graphs, readings)
def test_moves_are_the_steps_of_the_reading(triples: Any, reading: Reading) -> None:
    kg = opened(triples, reading)
    if not any(True for _ in kg.walks.facts()):
        return
    graph = load_graph(kg)
    for node, term in enumerate(graph.terms):
        (steps,) = kg.walks.neighbours([term])
        moves = {
            (graph.relations[move.relation], move.inverse, graph.terms[target])
            for move in graph.leaving.get(node, ())
            for target in graph.edges[move][node]
        }
        found = {(step.triple.relation, step.inverse, step.target) for step in steps}
        assert moves <= found
        assert {target for *_, target in moves} == {target for *_, target in found}


@pytest.mark.slow
def test_a_model_of_collapsed_mediators(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    brief(monkeypatch)
    source, questions = tmp_path / "kg.ttl", tmp_path / "questions.txt"
    source.write_text(FREEBASE, encoding="utf-8")
    questions.write_text(QUESTIONS, encoding="utf-8")
    freebase = load_profile("freebase")
    report = train(
        str(source),
        tmp_path / "model",
        Recipe(
            profile=freebase,
            questions=questions,
            noise=0.0,
            schedule=Schedule(steps=150, batch=16, rate=4e-3, warm_up=10, pool=4),
            size=Size(width=64, layers=2, heads=2),
        ),
    )
    assert report.lessons == 3 and not report.dropped
    kg = open_kg(str(source), profile=freebase)
    graph = build_graph(kg=kg, generator=str(report.out)).with_state()
    options = Options(on_ambiguous="best", confidence=0.0, queries=False)
    state: Any = graph.invoke({"question": "where did Ada Stone marry"}, context=options)
    proven(kg, state)
    assert {len(c["steps"]) for c in state["candidates"]} == {2}
    assert [answer["label"] for answer in state["answers"]] == ["Oslo"]
    kg.close()
