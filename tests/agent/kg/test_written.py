"""What people write, and the terms that they may mean by it."""

import json
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.kg.labels.meanings import Meanings
from groundwalk.agent.kg.verification.claims import Written, read_written
from hypothesis import given, settings
from hypothesis import strategies as st

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"


@contextmanager
def built(turtle: str) -> Generator[KnowledgeGraph]:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "kg.ttl"
        file.write_text(turtle, encoding="utf-8")
        with closing(open_kg(str(file), cache=Path(folder) / "cache")) as opened:
            yield opened


@settings(deadline=None, max_examples=20)
@given(
    st.lists(st.sampled_from(["A", "B", "a", "Ä", "A (1)", "B\n"]), min_size=1, max_size=6),
    st.booleans(),
)
def test_a_label_means_all_that_have_it(labels: list[str], relation: bool) -> None:
    lines = list[str]()
    for number, label in enumerate(labels):
        parts = ["<urn:x>", "<urn:r>", "<urn:x>"]
        parts[1 if relation else 0] = f"<urn:{number}>"
        lines.append(" ".join([*parts, ".", f"<urn:{number}> <{LABEL}> {json.dumps(label)} ."]))
    with built("\n".join(lines)) as kg:
        terms = [f"<urn:{number}>" for number in range(len(labels))]
        names = kg.labels.names(terms)
        found = Meanings(kg.labels).find([*labels, "C", ""], relation=relation)
        for text, meant in found.items():
            alike = zip(terms, labels, names, strict=True)
            expected = {t for t, *called in alike if text.strip() in map(str.strip, called)}
            assert set(meant) == expected, text


def test_labels_are_remembered() -> None:
    with built(f'<urn:fr> <{LABEL}> "France" ; <urn:p> <urn:x> .') as kg:
        meanings = Meanings(kg.labels)
        first = meanings.find(["France", "Narnia"])
    assert first == {"France": ("<urn:fr>",), "Narnia": ()}
    assert meanings.find(["Narnia", "France"]) == first  # though the index is closed


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("<urn:a>", "<urn:a>"),
        ("<urn:\\u0061>", "<urn:a>"),
        ('"a"@EN', '"a"@en'),
        ('"a"^^<http://www.w3.org/2001/XMLSchema#string>', '"a"'),
        ("_:b0", "_:b0"),
        ("<PATH>", None),
        ('"Heroes" by Bowie', None),
        ("_:", None),
        ("", None),
        ("\ud800", None),
        ('"\ud800"', None),
    ],
)
def test_what_is_no_term_is_a_label(text: str, term: str | None) -> None:
    assert read_written(text) == Written(text, term)
