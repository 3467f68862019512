"""A graph that is too large to be read whole: a few facts show what its relations lead to."""

from collections import Counter
from collections.abc import Iterator

import pytest
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.kg.stores.oxigraph import OxigraphStore
from groundwalk.agent.kg.terms import Term, Triple
from groundwalk.agent.query import schema_tables
from groundwalk.agent.query.facts import Facts
from groundwalk.agent.query.schema_tables import GraphTables
from groundwalk.agent.reader import values
from groundwalk.agent.reader.values import LabelsWithValues
from groundwalk.evaluation.benchmarks.large import write_people
from groundwalk.graphs.build import build_graph

PEOPLE = 1_000


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    file = tmp_path_factory.mktemp("people") / "graph.nt"
    write_people(file, PEOPLE)
    shade = '<http://example.org/person/{}> <http://example.org/shade> "{}" .\n'
    with file.open("a", encoding="ascii") as lines:
        lines.writelines(shade.format(n, ("light", "dark")[n % 2]) for n in range(PEOPLE))
    opened = open_kg(str(file))
    yield opened
    opened.close()


@pytest.fixture
def is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (schema_tables, values):
        monkeypatch.setattr(module, "MOST_WHOLE", 100)
    monkeypatch.setattr(values, "_MOST_VALUES", 50)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[Triple]:
    """The triples that were read of whole relations."""
    every = list[Triple]()
    statements = OxigraphStore.statements

    def counted(self: OxigraphStore, predicate: Term) -> Iterator[Triple]:
        for triple in statements(self, predicate):
            every.append(triple)
            yield triple

    monkeypatch.setattr(OxigraphStore, "statements", counted)
    return every


def test_the_tables_say_what_those_of_the_whole_graph_say(
    kg: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = GraphTables(Facts(kg))
    monkeypatch.setattr(schema_tables, "MOST_WHOLE", 100)
    few = GraphTables(Facts(kg))
    assert (whole.is_whole, few.is_whole) == (True, False)
    assert sorted(few.every_class()) == sorted(whole.every_class())
    for thing in ("person/7", "company/1", "city/0"):
        ids = [tables.facts.ids([f"<http://example.org/{thing}>"]) for tables in (few, whole)]
        assert set(few.hops(ids[0])) == set(whole.hops(ids[1]))
    for hop in whole.hops(None):
        ends = [tables.named(tables.end(*hop)[1]) for tables in (few, whole)]
        assert ends[0] == ends[1], hop
        assert few.measures_at(*hop) == whole.measures_at(*hop), hop


@pytest.mark.usefixtures("is_large")
def test_a_question_about_one_thing_reads_a_few_facts(
    kg: KnowledgeGraph, read: list[Triple]
) -> None:
    fact = next(kg.store.statements("<http://example.org/employer>"))
    person, company = kg.labels.names([fact.head, fact.tail])
    read.clear()
    state = build_graph("query", kg=kg).invoke({"question": f"Who is the employer of {person}?"})
    assert [answer["label"] for answer in state["answers"]] == [company]
    of_relation = Counter(triple.relation for triple in read)
    del of_relation["<http://example.org/shade>"]  # its values are few, and may be named
    assert 0 < max(of_relation.values()) <= 600


@pytest.mark.usefixtures("is_large")
def test_values_that_are_few_are_named_and_others_not_read(
    kg: KnowledgeGraph, read: list[Triple]
) -> None:
    assert LabelsWithValues(kg).known(["light", "dark"]) == {"light", "dark"}
    salaries = [triple for triple in read if triple.relation.endswith("/salary>")]
    assert 0 < len(salaries) <= 151
