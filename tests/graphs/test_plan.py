"""plan: relation paths that exist, executed in full, over a real store with a random model."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from groundwalk.agent.kg import KnowledgeGraph
from groundwalk.agent.llm.local import LocalModel

from .families import FAMILY, asked, labels, open_family, random_local, triples

FACTS = {tuple(line.split("|")) for line in FAMILY.strip().splitlines()}


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    opened = open_family(tmp_path_factory.mktemp("plan"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def local() -> LocalModel:
    return random_local()


@pytest.mark.parametrize("beams", [1, 5])
def test_what_it_answers_is_in_the_graph(kg: KnowledgeGraph, local: LocalModel, beams: int) -> None:
    state = asked(kg, local, "plan", "Where do the children of Ada live?", beams=beams)
    assert state["status"] == "answered"
    assert triples(state) <= FACTS
    emitted = state["emitted"]
    assert emitted["supported"] == emitted["triples"] > 0
    assert emitted["ill"] == 0


def test_all_answers_of_the_elected_relation_path_come(
    kg: KnowledgeGraph, local: LocalModel
) -> None:
    state = asked(kg, local, "plan", "children of Ada?", beams=1, hops=1, inverse=False)
    assert labels(state) == {"Ben", "Cleo"}


def test_an_untrained_model_is_told_of(kg: KnowledgeGraph, local: LocalModel) -> None:
    untrained = replace(local, settings=replace(local.settings, formats=("path",)))
    assert any(
        "not trained" in note for note in asked(kg, untrained, "plan", "Where is Ada?")["notes"]
    )
    assert not any(
        "not trained" in note for note in asked(kg, local, "plan", "Where is Ada?")["notes"]
    )


def test_a_topic_that_leads_nowhere_ends_in_silence(kg: KnowledgeGraph, local: LocalModel) -> None:
    state = asked(kg, local, "plan", "What does Zoe like?")
    assert state["status"] == "abstained"
    assert any("no relation path" in note for note in state["notes"])


def test_several_topics_mean_what_they_have_in_common(
    kg: KnowledgeGraph, local: LocalModel
) -> None:
    state = asked(kg, local, "plan", "children of Ada and Eve?", beams=1, hops=1, inverse=False)
    assert labels(state) == {"Ben"}
    assert triples(state) == {("Ada", "mother of", "Ben"), ("Eve", "mother of", "Ben")}
