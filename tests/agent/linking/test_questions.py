"""Whole sets of questions: the world's, and MetaQA's where GROUNDWALK_DATA names the folder."""

import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.kg import KnowledgeGraph, name_iri, open_kg
from groundwalk.agent.linking import LabelLinker, is_ambiguous

WORLD = "https://groundwalk.example/world/"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    return open_kg("world", cache=tmp_path_factory.mktemp("world"))


def keys(linker: LabelLinker, question: str) -> list[str]:
    return [m.candidates[0].term[1:-1].removeprefix(WORLD) for m in linker.link(question)]


def test_the_topics_of_the_worlds_questions(world: KnowledgeGraph) -> None:
    linker = LabelLinker(world.labels)
    text = (resources.files("groundwalk.data.world") / "questions.jsonl").read_text("utf-8")
    questions: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines()]
    missed: list[str] = []
    extra: list[str] = []
    for question in questions:
        mentions = linker.link(question["question"])
        found = {m.candidates[0].term[1:-1] for m in mentions}
        if not found >= set(question["topics"]) or any(map(is_ambiguous, mentions)):
            missed.append(question["id"])
        if found - set(question["topics"]):
            extra.append(question["id"])
    # "rubles" has two meanings, and "won" is an English word.
    assert missed == ["w125", "w170"]
    # Named beside the topics: Brazzaville, the UN of "the UN's scheme".
    assert len(extra) <= 0.05 * len(questions)


@pytest.mark.parametrize(
    ("question", "topics"),
    [
        ("capital of chad", ["country/chad"]),
        ("What is the capital of Turkey?", ["country/turkey"]),
        ("Georgia in the Caucasus", ["country/georgia", "range/caucasus"]),
        ("the capital of Georgia, the one in the Caucasus", ["country/georgia"]),
        ("Georgia, the one in the Caucasus: where is its capital?", ["country/georgia"]),
        ("Georgia, the one outside the Caucasus", ["country/georgia", "range/caucasus"]),
        ("Georgia, the one country in the Caucasus", ["country/georgia", "range/caucasus"]),
        ("[Georgia] and [Caucasus]", ["country/georgia", "range/caucasus"]),
        ("Of Georgia's neighbours: the one in the Caucasus", ["country/georgia", "range/caucasus"]),
        (
            "Of the neighbours of Georgia, the one in the Caucasus",
            ["country/georgia", "range/caucasus"],
        ),
        ("Lesotho, the one in South Africa", ["country/lesotho", "country/south-africa"]),
        ("the US state of Georgia", ["region/georgia-us-state"]),
        ("Georgia (USA)", ["region/georgia-us-state"]),
        ("the city of Luxembourg", ["city/luxembourg-city"]),
        ("capital of Luxembourg", ["country/luxembourg"]),
        ("What is Singapore's currency?", ["country/singapore"]),
        ("the language of Djibouti", ["country/djibouti"]),
        ("Congo (Kinshasa)", ["country/democratic-republic-of-the-congo"]),
        ("where do they pay with euros", ["currency/euro"]),
        ("capital of frnace", ["country/france"]),
        ("currency of the phillipines", ["country/philippines"]),
        ("Is Malé the capital of Maldives?", ["city/male", "country/maldives"]),
        ("is male the capital of maldives", ["country/maldives"]),
        ("May I ask what car is from Chad?", ["country/chad"]),
        ("which country is it", []),
    ],
)
def test_names_that_are_easy_to_get_wrong(
    world: KnowledgeGraph, question: str, topics: list[str]
) -> None:
    assert keys(LabelLinker(world.labels), question) == topics


@pytest.mark.parametrize(
    ("question", "ambiguous"),
    [
        ("capital of Congo", True),
        ("capital of Korea", True),
        ("capital of Georgia", False),
        ("capital of Singapore", False),
        ("capital of Luxembourg", False),
        ("capital of Djibouti", False),
        ("the Congo that is governed from Brazzaville", False),
    ],
)
def test_only_equals_are_ambiguous(world: KnowledgeGraph, question: str, ambiguous: bool) -> None:
    mention = LabelLinker(world.labels).link(question)[0]
    assert is_ambiguous(mention) == ambiguous


@pytest.mark.slow
@pytest.mark.data("metaqa/kb.txt", *(f"metaqa/{hops}-hop/vanilla/qa_dev.txt" for hops in "123"))
def test_metaqa_topics_in_brackets_and_without(public_data: Path, tmp_path: Path) -> None:
    folder = public_data / "metaqa"
    kg = open_kg(str(folder / "kb.txt"), cache=tmp_path)
    linker = LabelLinker(kg.labels)
    entities = {term for head, _, tail in kg.store.facts() for term in (head, tail)}
    plain = [0, 0]
    for hops in "123":
        file = folder / f"{hops}-hop" / "vanilla" / "qa_dev.txt"
        for line in file.read_text("utf-8").splitlines()[:300]:
            question = line.split("\t")[0]
            (name,) = re.findall(r"\[(.*)\]", question)
            topic = f"<{name_iri(name)}>"
            if topic not in entities:
                assert [m for m in linker.link(question) if m.candidates[0].term == topic] == []
                continue
            (mention,) = linker.link(question)
            assert (mention.text, mention.candidates[0].term) == (name, topic)
            found = linker.link(question.replace("[", "").replace("]", ""))
            plain[[m.candidates[0].term for m in found] == [topic]] += 1
    assert plain[True] > 0.98 * sum(plain)
