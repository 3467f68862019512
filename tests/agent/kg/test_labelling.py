"""The label index of a graph is what its rules say, computed here in memory and one by one."""

import sqlite3
from collections import Counter, defaultdict

import pyoxigraph as ox
import pytest
from groundwalk.agent.kg import GENERIC, local_name, normalise
from groundwalk.agent.kg.labels import indexing as labelling
from groundwalk.agent.kg.labels import staging as census
from groundwalk.agent.kg.labels.indexing import build_labels
from groundwalk.agent.kg.labels.names import Naming, one_line, unique_names
from groundwalk.agent.kg.profile import Profile
from hypothesis import given, settings
from hypothesis import strategies as st

E = "http://example.org/"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
OWL = "http://www.w3.org/2002/07/owl#"

ENTITIES = [ox.NamedNode(E + name) for name in ("e1", "e2", "a_b", "a%20b", "x/e1", "birthPlace")]
CLASSES = [ox.NamedNode(iri) for iri in (E + "C", E + "D", OWL + "Class", OWL + "Thing")]
TEXTS = ["Georgia", "géorgia", "Georgia (2)", "Georgia (e1)", " a  b", "", "\n", "日本", "1953"]
NAMING = [term[1:-1] for term in (*GENERIC.labels[:2], *GENERIC.aliases[:1], *GENERIC.hidden)] + [
    GENERIC.descriptions[0][1:-1]
]

nodes = st.sampled_from([*ENTITIES, ox.BlankNode("x")])
literals = st.builds(ox.Literal, st.sampled_from(TEXTS)) | st.builds(
    ox.Literal, st.sampled_from(TEXTS), language=st.sampled_from(["en", "en-gb", "de"])
)
quads = st.one_of(
    st.builds(ox.Quad, nodes, st.sampled_from(ENTITIES), nodes | literals),
    st.builds(ox.Quad, nodes, st.sampled_from(NAMING).map(ox.NamedNode), literals),
    st.builds(ox.Quad, nodes, st.just(ox.NamedNode(RDF_TYPE)), st.sampled_from(CLASSES)),
)


class Oracle:
    """The rules of the index, over a list of quads that fits into memory."""

    def __init__(self, quads: set[ox.Quad]) -> None:
        self.quads = quads
        facts = [quad for quad in quads if str(quad.predicate) not in GENERIC.skipped]
        self.uses = Counter(str(quad.predicate) for quad in facts)
        self.degrees = Counter(str(end) for quad in facts for end in (quad.subject, quad.object))
        types = [quad for quad in quads if quad.predicate.value == RDF_TYPE]
        mine = [quad for quad in types if OWL not in str(quad.object)]
        self.members = Counter(str(quad.object) for quad in mine)
        self.schema = {str(q.subject) for q in types if str(q.object) == f"<{OWL}Class>"}
        self.classes: dict[str, list[str]] = defaultdict(list)
        for quad in mine:
            self.classes[str(quad.subject)].append(str(quad.object))
        labelled = {str(quad.subject) for quad in quads if self.texts(quad, GENERIC.labels)}
        self.terms = sorted({*self.uses, *self.degrees, *self.members, *labelled})

    @staticmethod
    def texts(quad: ox.Quad, predicates: tuple[str, ...]) -> list[tuple[bool, int, int, str]]:
        if not isinstance(quad.object, ox.Literal) or not one_line(quad.object.value):
            return []
        if str(quad.predicate) not in predicates:
            return []
        rank = {"en": 0, "en-gb": 0, None: 1}.get(quad.object.language)
        place = predicates.index(str(quad.predicate))
        return [(rank is None, place, rank or 0, quad.object.value)]

    def found(self, term: str, predicates: tuple[str, ...]) -> list[tuple[bool, int, int, str]]:
        mine = (quad for quad in self.quads if str(quad.subject) == term)
        return sorted(text for quad in mine for text in self.texts(quad, predicates))

    def label(self, term: str) -> str:
        texts = self.found(term, GENERIC.labels)
        label = one_line(texts[0][-1]) if texts else ""
        return label or local_name(term, relation=term in self.uses)

    def naming(self, term: str) -> Naming:
        descriptions = [t for t in self.found(term, GENERIC.descriptions) if not t[0]]
        kind = ""
        if term.startswith('"') and "@" in term[-6:]:
            kind = term.rpartition("@")[2]
        elif term in self.classes:
            rarest = min(self.classes[term], key=lambda iri: (self.members[iri], iri))
            kind = self.label(rarest)
        return Naming(
            term,
            self.label(term),
            descriptions[0][-1] if descriptions else "",
            kind,
            self.uses[term] or self.degrees[term],
        )

    def shown(self, term: str) -> Naming:
        """Naming a term; a text in a language that is not wanted shows which.

        A blank node without a label is shown by the things and values that it leads to.
        """
        naming = self.naming(term)
        if term.startswith("_:") and not self.found(term, GENERIC.labels):
            stated = sorted(
                (str(quad.predicate), str(quad.object), self.written(quad.object))
                for quad in self.quads
                if str(quad.subject) == term and str(quad.predicate) not in GENERIC.skipped
            )
            things = [self.label(end) for _, end, _ in stated if end.startswith("<")]
            parts = [*things, *(text for _, _, text in stated if text)]
            return naming._replace(label=", ".join(parts[:4]) or naming.label)
        return naming._replace(label=f"{naming.label} (de)") if term.endswith('"@de') else naming

    @staticmethod
    def written(value: object) -> str:
        if not isinstance(value, ox.Literal) or not one_line(value.value):
            return ""
        return one_line(value.value) + (" (de)" if value.language == "de" else "")

    def names(self) -> dict[str, str]:
        namings = [self.shown(term) for term in self.terms]
        relations = unique_names(n for n in namings if n.term in self.uses)
        both = {term: name for term, name in relations.items() if term in self.degrees}
        others = unique_names((n for n in namings if n.term not in self.uses), named=both)
        return others | relations

    def surfaces(self) -> list[tuple[str, str, str, str]]:
        found: list[tuple[str, str, str, str]] = []
        for term in self.terms:
            schema = term in self.uses or term in self.members or term in self.schema
            if term.startswith('"') or (schema and term not in self.degrees):
                continue
            labels = self.found(term, GENERIC.labels)
            spellings: list[tuple[str, str]] = []
            if labels or term.startswith("<"):
                spellings.append((self.label(term), "label" if labels else "local"))
            for kind, predicates in (
                ("alias", GENERIC.labels),
                ("alias", GENERIC.aliases),
                ("hidden", GENERIC.hidden),
            ):
                wanted = [t for t in self.found(term, predicates) if not t[0]]
                spellings += [(one_line(text[-1]), kind) for text in wanted]
            seen = {""}
            for text, kind in spellings:
                if normalise(text) not in seen:
                    seen.add(normalise(text))
                    found.append((normalise(text), text, term, kind))
        return found


def index(quads: set[ox.Quad], profile: Profile = GENERIC) -> sqlite3.Connection:
    store = ox.Store()
    store.bulk_extend(quads)
    connection = sqlite3.connect(":memory:")
    build_labels(connection, store, profile)
    return connection


@pytest.mark.parametrize("most_grouped", [2, 5_000_000])
@settings(max_examples=40)
@given(found=st.sets(quads, min_size=1, max_size=30))
def test_the_index_is_what_the_rules_say(most_grouped: int, found: set[ox.Quad]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(census, "_MOST_GROUPED", most_grouped)
        patch.setattr(census, "_CHUNK", 2)
        patch.setattr(labelling, "_CHUNK", 2)
        patch.setattr(labelling, "_MOST_NUMBERS", 0)
        connection = index(found)
    oracle = Oracle(found)
    columns = "term, label, description, kind, degree, name, relation, class"
    names = oracle.names()
    assert connection.execute(f"SELECT {columns} FROM terms ORDER BY term").fetchall() == [
        (
            *oracle.naming(term),
            names[term],
            int(term in oracle.uses),
            int(term in oracle.members or term in oracle.schema),
        )
        for term in oracle.terms
    ]
    assert connection.execute("SELECT * FROM surface").fetchall() == oracle.surfaces()


def test_many_namesakes_are_numbered_by_degree() -> None:
    knows = ox.NamedNode(E + "knows")
    people = [ox.NamedNode(f"{E}{i}/about") for i in range(100)]
    pairs = {ox.Quad(people[i], knows, people[j]) for i in range(100) for j in range(100 - i)}
    connection = index(pairs)
    rows = connection.execute(
        "SELECT name FROM terms WHERE NOT relation ORDER BY degree DESC, term"
    ).fetchall()
    assert [name for (name,) in rows] == ["about", *(f"about ({i})" for i in range(2, 101))]


def test_the_rarest_class_tells_what_a_term_is() -> None:
    kind = ox.NamedNode(RDF_TYPE)
    pairs = {(1, "A"), (2, "A"), (1, "B"), (2, "C"), (3, "A")}
    quads = {ox.Quad(ox.NamedNode(f"{E}{i}"), kind, ox.NamedNode(E + c)) for i, c in pairs}
    knows = {
        ox.Quad(ox.NamedNode(f"{E}{i}"), ox.NamedNode(E + "knows"), ox.NamedNode(E + "1"))
        for i in (1, 2, 3)
    }
    connection = index(quads | knows)
    kinds = dict(connection.execute("SELECT label, kind FROM terms WHERE NOT class"))
    assert kinds == {"1": "B", "2": "C", "3": "A", "knows": ""}


def test_relations_borrow_labels_and_lend_no_topics() -> None:
    profile = Profile(
        "test",
        labels=GENERIC.labels,
        aliases=GENERIC.aliases,
        relation_labels_from=((f"<{E}direct/", f"<{E}"), (f"<{E}direct/own", f"<{E}other")),
    )
    label, alias = (ox.NamedNode(iris[0][1:-1]) for iris in (GENERIC.labels, GENERIC.aliases))
    ann, bob = ox.NamedNode(E + "ann"), ox.NamedNode(E + "bob")
    connection = index(
        {
            ox.Quad(ann, ox.NamedNode(E + "direct/P1"), bob),
            ox.Quad(ann, ox.NamedNode(E + "direct/P2"), bob),
            ox.Quad(ann, ox.NamedNode(E + "direct/own1"), bob),
            ox.Quad(ox.NamedNode(E + "P1"), label, ox.Literal("knows", language="en")),
            ox.Quad(ox.NamedNode(E + "P1"), alias, ox.Literal("is friends with", language="en")),
            ox.Quad(ox.NamedNode(E + "P2"), label, ox.Literal("never", language="en")),
            ox.Quad(ox.NamedNode(E + "direct/P2"), label, ox.Literal("meets", language="en")),
            ox.Quad(ox.NamedNode(E + "other1"), label, ox.Literal("other", language="en")),
        },
        profile,
    )
    relations = "SELECT label FROM terms WHERE relation ORDER BY term"
    assert [row[0] for row in connection.execute(relations)] == ["knows", "meets", "other"]
    vocabulary = connection.execute("SELECT text FROM vocabulary WHERE relation ORDER BY text")
    assert [row[0] for row in vocabulary] == ["is friends with", "knows", "meets", "other"]
    assert {row[0] for row in connection.execute("SELECT norm FROM surface")} == {"ann", "bob"}
