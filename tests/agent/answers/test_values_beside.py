"""Things of one name, told apart by a code or another short text beside it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from groundwalk.agent.answers.topics import linked
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.reader.values import LabelsWithValues

METERS = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:a a :Product ; rdfs:label "Flow Meter" ; :code "A-200" ; :colour "red" ; :size "M" ; :price 20 .
:b a :Product ; rdfs:label "Flow Meter" ; :code "B-10" ; :colour "blue" ; :size "M" ; :price 30 ;
    :maker :acme ; :fits :x, :y, :z .
:acme rdfs:label "Acme" . :x rdfs:label "Tee 1" . :y rdfs:label "Tee 2" . :z rdfs:label "B-10 kit" .
"""


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder: Path = tmp_path_factory.mktemp("meters")
    screws = "".join(f':s{n} rdfs:label "Screw" ; :code "S-{n}" . ' for n in range(30))
    (folder / "meters.ttl").write_text(METERS + screws, encoding="utf-8")
    opened = open_kg(str(folder / "meters.ttl"), cache=folder / "cache")
    yield opened
    opened.close()


@pytest.mark.parametrize("with_values", [False, True])
@pytest.mark.parametrize(
    ("question", "text", "meant"),
    [
        ("What is the price of Flow Meter A-200?", "Flow Meter A-200", "a"),
        ("What does flow meter a-200 cost today?", "flow meter a-200", "a"),
        ("What does the Flow Meter (B-10) cost?", "Flow Meter (B-10)", "b"),
        ("What does the Flow Meter, A-200, cost?", "Flow Meter, A-200", "a"),
        ("What does the A-200 Flow Meter cost?", "A-200 Flow Meter", "a"),
        ("What does the Flow Meter (red) cost?", "Flow Meter (red)", "a"),
        ("What is the price of Screw S-27?", "Screw S-27", "s27"),
    ],
)
def test_a_text_beside_a_name_says_which_one_is_meant(
    kg: KnowledgeGraph, question: str, text: str, meant: str, with_values: bool
) -> None:
    linker = LabelLinker(LabelsWithValues(kg) if with_values else kg.labels)
    (mention,) = linked(linker, kg, question).mentions
    assert (mention["text"], mention["ambiguous"]) == (text, False)
    assert [own["term"] for own in mention["candidates"]] == [f"<http://example.org/{meant}>"]
    assert question[mention["start"] : mention["end"]] == text


@pytest.mark.parametrize("with_values", [False, True])
def test_two_things_of_one_name_in_one_question(kg: KnowledgeGraph, with_values: bool) -> None:
    linker = LabelLinker(LabelsWithValues(kg) if with_values else kg.labels)
    question = "Is the price of Flow Meter A-200 higher than that of flow meter B-10?"
    mentions = linked(linker, kg, question).mentions
    assert [mention["text"] for mention in mentions] == ["Flow Meter A-200", "flow meter B-10"]
    terms = [own["term"] for mention in mentions for own in mention["candidates"]]
    assert terms == ["<http://example.org/a>", "<http://example.org/b>"]


@pytest.mark.parametrize(
    "question",
    [
        "What is the price of Flow Meter?",
        "Is the colour of Flow Meter red?",
        "Is Flow Meter red?",
        "What does Flow Meter M cost?",
        "Is the price of Flow Meter 20?",
        "Which Acme Flow Meter is the best?",
        "Does Flow Meter C-30 have a price?",
    ],
)
def test_what_tells_nothing_stays_outside_of_the_name(kg: KnowledgeGraph, question: str) -> None:
    linker = LabelLinker(LabelsWithValues(kg))
    texts = [mention["text"] for mention in linked(linker, kg, question).mentions]
    assert "Flow Meter" in texts


STAFF = """
@prefix : <http://example.org/> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .
:j foaf:name "Jonas Weber" ; foaf:familyName "Weber" ; foaf:title "Dr." ; :pay 8 .
:l foaf:name "Lena Weber" ; foaf:familyName "Weber" ; foaf:title "Ms." ; :pay 9 .
"""


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Dr. Weber", ["j"]),
        ("dr weber", ["j"]),
        ("Ms. Weber", ["l"]),
        ("Prof. Dr. Weber", ["j"]),
        ("Mr. Weber", ["j", "l"]),
    ],
)
def test_a_title_says_which_one_is_meant(tmp_path: Path, name: str, meant: list[str]) -> None:
    (tmp_path / "staff.ttl").write_text(STAFF, encoding="utf-8")
    with closing(open_kg(str(tmp_path / "staff.ttl"), cache=tmp_path / "cache")) as kg:
        linker = LabelLinker(LabelsWithValues(kg))
        (mention,) = linked(linker, kg, f"What is the pay of {name}?").mentions
    assert (mention["text"], mention["ambiguous"]) == (name, len(meant) > 1)
    terms = sorted(candidate["term"] for candidate in mention["candidates"])
    assert terms == [f"<http://example.org/{one}>" for one in meant]
