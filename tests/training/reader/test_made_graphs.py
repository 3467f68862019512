"""Graphs that are made over schemas and domains, and the files of domains that are whole."""

from contextlib import closing
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.agent.kg import open_kg
from groundwalk.training.reader.made_graphs import (
    VALUES,
    examples_over,
    freebase_domains,
    made_graph,
    read_domain,
    write_domain,
    write_graph,
)
from groundwalk.training.reader.sources import Hop, SchemaLabels
from groundwalk.training.wording.english import domain_files

FILES = domain_files()


def test_there_are_domains() -> None:
    assert FILES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_domain_is_whole(file: Path) -> None:
    domain = read_domain(file)
    for own in domain.relations:
        assert len(set(own.labels)) >= 3, own.labels
        assert own.asks_tail["ask"], own.labels
        assert own.tail != "text" or own.values, own.labels
        assert own.tail not in VALUES or not own.inverse, own.labels
        for wordings in (own.asks_tail, own.asks_head):
            for kind in ("noun", "that", "ask"):
                for text in wordings[kind]:
                    assert "{x" in text, (own.labels, text)


@pytest.mark.parametrize("file", FILES, ids=lambda own: own.stem)
def test_numbers_and_dates_are_compared_in_words(file: Path) -> None:
    for own in read_domain(file).relations:
        slots = {"clause": ("{v}",), "ask": ("{x}", "{v}"), "by": ("{g}",)}
        assert (own.tail in ("number", "date")) == bool(own.compares["clause"]), own.labels
        for kind, wanted in slots.items():
            for text in own.compares[kind]:
                assert all(slot in text for slot in wanted), (own.labels, text)


def test_labels_are_drawn_and_ends_turn_with_them(tmp_path: Path) -> None:
    domain = read_domain(next(own for own in FILES if own.stem == "logistics"))
    seen = set[tuple[str, str, str]]()
    for seed in range(12):
        schema = write_domain(domain, tmp_path / "g.ttl", tmp_path / "p.toml", Random(seed))
        seen.update((hop.label, hop.head, hop.tail) for hop in schema.hops)
        with closing(open_kg(str(tmp_path / "g.ttl"))) as kg:
            names = {own.name for own in kg.walk_labels.relations()}
            assert {hop.label for hop in schema.hops} <= names | {"type"}
    nouns = {noun.partition("/")[0]: kind for kind, own in domain.things.items() for noun in own}
    nouns |= {kind: kind for kind in domain.things}
    ends = {label: (nouns[head], nouns.get(tail, tail)) for label, head, tail in seen}
    assert ends["carries"] == ("carrier", "shipment")
    assert ends["carried by"] == ("shipment", "carrier")
    assert len({head for label, head, _ in seen if label == "carries"}) > 1
    assert len(ends) > 10


def test_questions_are_made_in_the_words_of_people(tmp_path: Path) -> None:
    domain = read_domain(next(own for own in FILES if own.stem == "logistics"))
    graph = made_graph(domain, tmp_path, 0)
    with closing(graph.kg):
        made = list(islice(examples_over(graph.kg, graph.material, "logistics", 0), 200))
    words = {word.text for own in made for word in own.words}
    assert {"stored", "weigh"} & words
    labels = {name for own in made for name, _, _ in own.names}
    assert labels & {hop.label for hop in graph.schema.hops}


@pytest.mark.parametrize(
    "text", ["", "[things]\na = []", "relation = 3", '[[relation]]\nhead = "a"\ntail = "b"']
)
def test_a_broken_file_is_told(tmp_path: Path, text: str) -> None:
    file = tmp_path / "broken.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"broken\.toml"):
        read_domain(file)


SCHEMA = SchemaLabels(
    (Hop("flows through", "river", "country"), Hop("length", "river", "number"), Hop("loose"))
)


def test_a_made_graph_is_as_its_schema_says(tmp_path: Path) -> None:
    file = tmp_path / "made.ttl"
    write_graph(SCHEMA, file, Random(0))
    first = file.read_bytes()
    write_graph(SCHEMA, file, Random(0))
    assert file.read_bytes() == first, "the same for the same seed"
    kg = open_kg(str(file))
    assert {own.name for own in kg.walk_labels.relations()} == {"flows through", "length"}
    facts = list(kg.walks.facts())
    kinds = {own.term: own.kind for own in kg.labels.describe([fact.head for fact in facts])}
    assert facts and set(kinds.values()) == {"river"}
    kg.close()


def test_a_domain_that_is_too_small_is_none() -> None:
    hops = [(f"film.x.{n}", Hop(f"r{n}", "film", "person")) for n in range(6)]
    few = [(f"wine.x.{n}", Hop(f"r{n}", "wine", "text")) for n in range(3)]
    assert list(freebase_domains([*hops, *few])) == ["film"]


@pytest.mark.parametrize("text", ["compares = ['x']", "compares = {clauze = ['x']}"])
def test_what_compares_nothing_is_no_domain(text: str, tmp_path: Path) -> None:
    file = tmp_path / "d.toml"
    relation = "head = 'x'\ntail = 'date'\nlabels = ['r']\nasks_tail = {}"
    file.write_text(f"[things]\nx = ['x/xs']\n[[relation]]\n{relation}\n{text}\n")
    with pytest.raises(InputError, match="compares"):
        read_domain(file)


def test_no_class_has_the_name_of_a_kind_of_value(tmp_path: Path) -> None:
    domain = read_domain(next(own for own in FILES if own.stem == "pop_music_albums"))
    for seed in range(40):
        write_domain(domain, tmp_path / "g.ttl", tmp_path / "p.toml", Random(seed))
