"""Claims as JSON, from bytes to verdicts: in lines, in what `ask` prints, and from an endpoint."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any, cast

import pytest
from groundwalk.agent.errors import InputError, ServiceError
from groundwalk.agent.kg import KnowledgeGraph, Triple, open_kg
from groundwalk.agent.kg.stores.sparql import open_endpoint
from groundwalk.agent.kg.verification.checks import Checked, Unclear, check_records
from groundwalk.agent.kg.verification.claim_lines import (
    read_records,
    to_line,
    unclear_fields,
    verified_fields,
)
from groundwalk.agent.kg.verification.claims import Inquiry
from hypothesis import given
from hypothesis import strategies as st

from .sparql.asking import loaded
from .sparql.endpoint import Endpoint, Handler

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
GRAPH = f"""
@prefix : <urn:> . @prefix rdfs: <{LABEL[:-5]}> .
:fr rdfs:label "France" ; :capital :paris ; :motto "Liberté"@fr, "Liberty"@en ; :area 543940 .
:paris rdfs:label "Paris" ; :in :fr . :texas rdfs:label "Paris" ; :in :us .
:us rdfs:label "U.S." . :capital rdfs:label "capital" .
:located rdfs:label "in" . :de :located :eu . :capital :used :fr .
:fr :words "Hello", "Hello"@en, "Hello"@de, "Europe"@en, "Germany" . :eu rdfs:label "Europe" .
:de rdfs:label "Germany" .
"""


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    folder = tmp_path_factory.mktemp("claims")
    (folder / "kg.ttl").write_text(GRAPH, encoding="utf-8")
    return open_kg(str(folder / "kg.ttl"), cache=folder / "cache")


def checked(kg: KnowledgeGraph, *records: object) -> list[dict[str, Any]]:
    """What comes back for some records, through bytes and back."""
    return checked_text(kg, "\n".join(json.dumps(record) for record in records))


def checked_text(kg: KnowledgeGraph, text: str) -> list[dict[str, Any]]:
    records = read_records(text.encode().splitlines(keepends=True), "claims.jsonl")
    found = check_records(records, Inquiry(kg.store), kg.labels)
    return [json.loads(to_line(fields_of(record))) for record in found]


def fields_of(record: Checked | Unclear) -> dict[str, Any]:
    if isinstance(record, Unclear):
        return unclear_fields(*record)
    return verified_fields(*record)


def line(*chain: object, topics: object = None, **more: object) -> dict[str, Any]:
    return {"topics": ["France"] if topics is None else topics, "chain": [*chain], **more}


def test_a_line_comes_back_with_verdicts(kg: KnowledgeGraph) -> None:
    france = {"term": "<urn:fr>", "label": "France"}
    texas = {"term": "<urn:texas>", "label": "Paris (texas)"}
    capital = {"term": "<urn:capital>", "label": "capital"}
    given = line(["France", "capital", "<urn:texas>"], answers=["U.S.", "Narnia"], id=7)
    assert checked(kg, given) == [
        {
            **given,
            "verdict": "unsupported",
            "triples": [
                {"head": france, "relation": capital, "tail": texas}
                | {"verdict": "unsupported", "flags": []}
            ],
            "well_formed": False,
            "flags": [],
            "answer_verdicts": [
                {"term": "<urn:us>", "label": "U.S.", "verdict": "unsupported"},
                {"term": None, "label": "Narnia", "verdict": "unsupported"},
            ],
        }
    ]


PARIS = {"term": "<urn:paris>", "label": "whatever"}
CASES: dict[str, tuple[dict[str, Any], str, list[str]]] = {
    "labels": (line(["France", "capital", "<urn:paris>"]), "supported", []),
    "objects": (
        line({"head": {"label": "France"}, "relation": "capital", "tail": PARIS, "inverse": False}),
        "supported",
        [],
    ),
    "inverse": (
        line(
            {"head": "France", "relation": "capital", "tail": PARIS, "inverse": True},
            topics=["<urn:paris>"],
        ),
        "supported",
        [],
    ),
    "against its direction": (line([PARIS, "capital", "France"]), "unsupported", ["reversed"]),
    "language": (line(["France", "<urn:motto>", '"Liberty"@en']), "supported", []),
    "other language": (line(["France", "<urn:motto>", '"Liberty"@fr']), "unsupported", []),
    "no language": (line(["France", "<urn:motto>", '"Liberty"']), "unsupported", []),
    "no datatype": (line(["France", "<urn:area>", '"543940"']), "unsupported", []),
    "a relation that is an entity too": (line(["capital", "used", "France"]), "supported", []),
    "a head that no value can be": (
        line(["Germany", "<urn:located>", "<urn:eu>"], topics=["Germany"]),
        "supported",
        [],
    ),
    "a literal as relation": (line(["France", '"x"', PARIS]), "unsupported", []),
    "unknown name": (
        line(["France", "capital", "Narnia"], ["Narnia", "<urn:in>", "<urn:eu>"]),
        "unsupported",
        ["unknown name"],
    ),
    "unknown topic": (
        line(["France", "capital", PARIS], topics=["Frnace"]),
        "unsupported",
        ["unknown topic", "not from a topic"],
    ),
    "an unknown topic beside one": (
        line(["France", "capital", PARIS], topics=["France", "Frnace"]),
        "supported",
        ["unknown topic"],
    ),
    "a label that looks like a term": (
        line(["<urn:fr>", "capital", PARIS], topics=[{"label": "<urn:fr>"}]),
        "unsupported",
        ["unknown topic", "not from a topic"],
    ),
    "empty": (line(), "unsupported", ["empty"]),
    "no topics": (
        line(["France", "capital", PARIS], topics=[]),
        "unsupported",
        ["not from a topic"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_lines(kg: KnowledgeGraph, case: str) -> None:
    given, verdict, flags = CASES[case]
    (found,) = checked(kg, given)
    assert (found["verdict"], found["flags"]) == (verdict, flags)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
OWN = {
    "error",
    "verdict",
    "triples",
    "well_formed",
    "flags",
    "answer_verdicts",
    "chain",
    "topics",
    "answers",
}


@given(st.dictionaries(st.text(max_size=5).filter(lambda key: key not in OWN), VALUES, max_size=4))
def test_fields_are_untouched_and_a_second_check_changes_nothing(
    kg: KnowledgeGraph, fields: dict[str, Any]
) -> None:
    given_line = fields | line(
        ["<urn:fr>", "<urn:capital>", "Narnia\x9b\ud800"], answers=["<urn:fr>"]
    )
    (found,) = checked(kg, given_line)
    assert {key: found[key] for key in given_line} == json.loads(json.dumps(given_line))
    assert checked(kg, found) == [found]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"topics": [], "chain": []', ["line 2", "not JSON"]),
        ("[1]", ["line 2", "object"]),
        ('{"chain": []}', ["line 2", "topics"]),
        ('{"topics": []}', ["chain"]),
        ('{"topics": [], "answers": [], "chains": [[]]}', ["chain"]),
        ('{"topics": [], "answers": [{"label": "a"}]}', ["chain"]),
        ('{"topics": "France", "chain": []}', ["topics", "list"]),
        ('{"topics": [], "chain": {}}', ["chain", "list"]),
        ('{"topics": [], "chain": [["a", "b"]]}', ["step 1"]),
        ('{"topics": [], "chain": [["a", "b", "c"], ["a", "b", 3]]}', ["tail", "step 2"]),
        ('{"topics": [], "chain": [{"head": "a", "relation": "b"}]}', ["tail", "step 1"]),
        ('{"topics": [], "chain": [["a", "b", {"term": "c"}]]}', ["tail", "N-Triples"]),
        ('{"topics": [7], "chain": []}', ["topic"]),
        ('{"topics": [], "chain": [], "answers": [null]}', ["answer"]),
        (
            '{"topics": [], "chain": [{"head": "a", "relation": "b", "tail": "c", "inverse": 1}]}',
            ["inverse", "step 1"],
        ),
        ('{"topics": [], "chain": [], "score": NaN}', ["line 2", "NaN"]),
        ('{"topics": [], "chain": [], "score": 1e999}', ["line 2", "1e999"]),
        ('{"topics": [], "chain": [], "score": %s}' % ("9" * 5000), ["line 2"]),
        ("[" * 100_000, ["line 2"]),
        ('{\n "topics": [],\n "chain": [],\n "id": nothing\n}', ["line 5", "not JSON"]),
        ('{\n "topics": [],\n "chain": [', ["not JSON"]),
    ],
)
def test_bad_lines(kg: KnowledgeGraph, text: str, words: list[str]) -> None:
    with pytest.raises(InputError) as raised:
        checked_text(kg, "\n" + text)
    assert raised.value.message.startswith("claims.jsonl, line ")
    for word in words:
        assert word in raised.value.message


UNCLEAR: dict[str, tuple[dict[str, Any], str]] = {
    "tail": (line(["France", "capital", "Paris"]), "'Paris' may mean <urn:paris>, <urn:texas>"),
    "relation": (line(["a", "in", "b"]), "'in' may mean <urn:in>, <urn:located>"),
    "topic": (line(topics=["Paris"]), "'Paris' may mean <urn:paris>, <urn:texas>"),
    "answer": (line(topics=[], answers=["Paris"]), "'Paris' may mean <urn:paris>, <urn:texas>"),
    "values": (
        line(["France", "<urn:words>", "Hello"]),
        """'Hello' may mean "Hello", "Hello"@de, "Hello"@en""",
    ),
    "a value and an entity": (
        line(["France", "<urn:words>", "Europe"]),
        """'Europe' may mean "Europe"@en, <urn:eu>""",
    ),
}


@pytest.mark.parametrize("case", UNCLEAR)
def test_a_label_of_several_terms_is_no_label_of_one(kg: KnowledgeGraph, case: str) -> None:
    """It costs its own line alone its verdict, also the one of an earlier check."""
    given_line, message = UNCLEAR[case]
    good = line(["France", "capital", "<urn:paris>"])
    stale = given_line | {"id": 3, "verdict": "supported", "flags": []}
    first, found, last = checked(kg, good, stale, good)
    assert first["verdict"] == last["verdict"] == "supported"
    why = f"claims.jsonl, line 2: {message} (write the term that is meant)"
    assert found == given_line | {"id": 3, "verdict": None, "error": why}
    (again,) = checked(kg, good | {"error": why})
    assert again == first


def test_a_document_with_a_label_of_several_terms(kg: KnowledgeGraph) -> None:
    good = document([("<urn:fr>", "<urn:capital>", "<urn:paris>")], answer="<urn:paris>")
    unclear = good | {"topics": [{"label": "Paris"}], "flags": ["of its own"]}
    found, first = checked(kg, unclear, good)
    assert found["error"].startswith("claims.jsonl, line 1: 'Paris' may mean")
    assert (found["verdict"], found["flags"]) == (None, ["of its own"])
    assert first["verdict"] == "supported"


def test_what_is_not_utf8_is_named_by_its_line(kg: KnowledgeGraph) -> None:
    with pytest.raises(InputError, match="claims.jsonl, line 2: not UTF-8"):
        list(read_records([b'{"topics": [], "chain": []}\n', b"\xff\n"], "claims.jsonl"))


@given(st.lists(st.tuples(st.sampled_from([None, 0, 1, 4]), VALUES), max_size=5), st.booleans())
def test_documents_over_many_lines(layouts: list[tuple[int | None, Any]], mark: bool) -> None:
    """However documents are laid out, one after the other, they are read as they were written."""
    given_lines = [line(note=value) for _, value in layouts]
    text = "\n".join(
        json.dumps(fields, indent=indent)
        for fields, (indent, _) in zip(given_lines, layouts, strict=True)
    )
    data = (b"\xef\xbb\xbf" if mark else b"") + text.encode()
    records = read_records(data.splitlines(keepends=True), "claims.json")
    assert [record.fields for record in records] == json.loads(json.dumps(given_lines))


def document(*chains: Sequence[Sequence[str]], answer: str) -> dict[str, Any]:
    """What `ask --json` prints of one answer."""
    keys = ("head", "relation", "tail")
    steps = [
        [
            {**{k: {"term": t, "label": ""} for k, t in zip(keys, step, strict=True)}}
            for step in chain
        ]
        for chain in chains
    ]
    answers = [{"term": answer, "label": "", "score": 1.0, "chains": steps}]
    return {"status": "answered", "topics": [{"term": "<urn:fr>"}], "answers": answers}


def test_documents_of_ask(kg: KnowledgeGraph) -> None:
    there, no = ("<urn:fr>", "<urn:capital>", "<urn:paris>"), ("<urn:fr>", "<urn:in>", "<urn:us>")
    good, mixed, wrong, bare = checked(
        kg,
        document([there], answer="<urn:paris>"),
        document([there], [no], answer="<urn:paris>"),
        document([there], answer="<urn:texas>"),
        document(answer="<urn:paris>"),
    )
    assert [d["verdict"] for d in (good, mixed, wrong, bare)] == ["supported", *["unsupported"] * 3]
    (answer,) = mixed["answer_verdicts"]
    assert (answer["label"], answer["verdict"]) == ("Paris", "supported")
    assert [chain["verdict"] for chain in answer["chains"]] == ["supported", "unsupported"]
    assert wrong["answer_verdicts"][0]["verdict"] == "unsupported"


@pytest.mark.parametrize("status", ["abstained", "unsure", "ambiguous", "error"])
def test_a_document_without_answers_claims_nothing(kg: KnowledgeGraph, status: str) -> None:
    (found,) = checked(kg, {"status": status, "topics": None, "answers": []})
    assert found["verdict"] is None and found["answer_verdicts"] == []


def test_a_million_lines_would_be_read_as_they_come(kg: KnowledgeGraph) -> None:
    """At most a batch is read ahead of what comes out, and requests are full."""
    read = 0

    def lines() -> Iterator[bytes]:
        nonlocal read
        for number in range(3_000):
            read += 1
            yield to_line(line([f"<urn:{number}>", "<urn:p>", f"<urn:x{number}>"])).encode()

    inquiry = Inquiry(kg.store)
    for written, _ in enumerate(check_records(read_records(lines(), "x"), inquiry, kg.labels)):
        assert read - written <= 401
    assert (read, inquiry.triples) == (3_000, 6_000)
    assert inquiry.requests == 30


# Endpoints.

GRAPH_AT_ENDPOINT = [
    Triple("<urn:fr>", f"<{LABEL}>", '"France"'),
    Triple("<urn:fr>", "<urn:capital>", "<urn:paris>"),
    Triple("<urn:capital>", f"<{LABEL}>", '"capital"'),
]


def test_a_name_that_an_endpoint_does_not_find_is_unknown() -> None:
    """It may be spelled otherwise there, or in another language; an index would know."""
    strange = line(["Narnia", "capital", "<urn:paris>"], answers=["Cair Paravel"])
    with Endpoint(loaded(GRAPH_AT_ENDPOINT)) as endpoint:
        opened = open_endpoint(endpoint.url)
        with closing(opened.labels):
            (found,) = checked(cast(KnowledgeGraph, opened), strange)
    assert found["triples"][0]["verdict"] == "unknown"
    assert "unknown name" in found["triples"][0]["flags"]
    assert [answer["verdict"] for answer in found["answer_verdicts"]] == ["unknown"]


def test_an_endpoint_that_stops_answering_leaves_triples_unknown() -> None:
    def refuse(handler: Handler) -> bool:
        handler.reply(400, b"no", "text/plain")
        return True

    good = line(["France", "capital", "<urn:paris>"], answers=["<urn:paris>"])
    bare = line(["<urn:fr>", "<urn:capital>", "<urn:paris>"], topics=["<urn:fr>"])
    with Endpoint(loaded(GRAPH_AT_ENDPOINT)) as endpoint:
        opened = open_endpoint(endpoint.url)
        with closing(opened.labels):
            kg = cast(KnowledgeGraph, opened)
            assert [d["verdict"] for d in checked(kg, good, bare)] == ["supported"] * 2
            endpoint.misbehaviour = refuse
            (found,) = checked(kg, {**bare, "answers": ["<urn:paris>", "<urn:fr>"]})
            assert (found["verdict"], found["well_formed"]) == ("unknown", None)
            said = [answer["verdict"] for answer in found["answer_verdicts"]]
            assert said == ["unknown", "unsupported"]
            (broken,) = checked(kg, {**bare, "topics": ["<urn:x>"]})
            assert broken["verdict"] == "unsupported"
            with pytest.raises(ServiceError):
                checked(kg, line(["Narnia", "<urn:p>", "<urn:a>"]))
