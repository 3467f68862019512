"""What any SPARQL endpoint must do for groundwalk: some triples, and what is to be read of them.

`python -m tests.agent.kg.sparql.contract` prints the triples as N-Triples, in ASCII.
"""

from collections.abc import Iterable
from pathlib import Path as File

import pyoxigraph as ox
from groundwalk.agent.kg import OxigraphStore, Path, Step, Triple, open_kg, verify_paths
from groundwalk.agent.kg.labels.names import normalise
from groundwalk.agent.kg.nodes import to_term
from groundwalk.agent.kg.store import Way
from groundwalk.agent.kg.stores.sparql import SparqlStore
from groundwalk.agent.kg.stores.sparql.client import SparqlClient
from groundwalk.agent.kg.stores.sparql.labels import SparqlLabels
from groundwalk.agent.kg.stores.sparql.store import End
from groundwalk.agent.kg.walking.view import NeighbourCache

from .asking import HOSTILE, LABEL, TYPE, iri, loaded, quad

COMMENT = LABEL.replace("label", "comment")
FACTS = [
    Triple(iri(head), iri(relation), tail)
    for head, relation, tail in (
        ("a", "p", iri("b")),
        ("a", "p", iri("x?q=1&r=%22#f")),
        ("a", "q%7D", iri("é")),
        ("é", "p", iri("a")),
        ("b", "p", '"chat"@fr'),
        ("b", "p", '"chat"'),
        ("b", "p", f'"chat"^^{iri("own")}'),
    )
]
HOSTILES = [Triple(iri("t"), iri("p"), to_term(ox.Literal(text))) for text in HOSTILE]
NAMES = [
    Triple(iri("a"), LABEL, '"Georgia"@en'),
    Triple(iri("b"), LABEL, '"Georgia"@en'),
    Triple(iri("b"), COMMENT, '"U.S. state, in the South"@en'),
    Triple(iri("a"), TYPE, iri("Country")),
    Triple(iri("b"), TYPE, iri("State")),
    Triple(iri("p"), LABEL, '"borders"@en'),
]
HUB = [Triple(iri(f"m{i}"), iri("in"), iri("hub")) for i in range(40)]
RARE = [Triple(iri("m7"), iri(f"rare{i}"), iri("hub")) for i in range(3)]
TRIPLES = [*FACTS, *HOSTILES, *NAMES, *HUB, *RARE]
NODES = sorted({term for triple in TRIPLES for term in (triple.head, triple.tail)})


def check_store(client: SparqlClient) -> None:
    """All that is read is as in a local store, whatever the terms look like."""
    local, store = OxigraphStore(loaded(TRIPLES)), SparqlStore(client)
    assert store.holds(TRIPLES) == [True] * len(TRIPLES), "the triples of the contract are loaded"
    others = [Triple(t.tail, t.relation, t.head) for t in TRIPLES if t.tail.startswith("<")]
    others += [t._replace(tail=f'"{t.tail[1:-1]}"@en') for t in HUB[:3]]
    assert store.holds(others) == local.holds(others)
    assert store.neighbours(NODES) == local.neighbours(NODES)
    for inverse in (False, True):
        assert store.follow(NODES, iri("p"), inverse) == local.follow(NODES, iri("p"), inverse)
        assert store.relations_at(NODES, inverse) == local.relations_at(NODES, inverse)
    nodes = [node for node in NODES if "\\u0000" not in node]  # Virtuoso cuts text of a query there
    ways = [
        Way(node, iri(r), back) for node in nodes for r in ("p", "in") for back in (False, True)
    ]
    assert store.follow_each(ways) == local.follow_each(ways)
    assert sorted(store.facts()) == sorted(local.facts())
    assert store.counts() == local.counts()


def check_hub(client: SparqlClient) -> None:
    """Every relation of a hub is found, in few requests."""
    store = SparqlStore(client)
    before = client.requests
    ((steps, more),), _ = NeighbourCache(store, limit=20).look_up([iri("hub")], inverse=True)
    assert more and len(steps) == 20
    assert {step.triple for step in steps} >= {*RARE}
    assert client.requests - before < 10


def check_around(client: SparqlClient) -> None:
    """What is read at once is what is read when it is asked for, and is not asked for again."""
    local, nodes = OxigraphStore(loaded(TRIPLES)), [iri("a"), iri("b"), iri("é")]
    store = SparqlStore(client)
    store.look_around(nodes)
    before = client.requests
    assert sorted(store.near(nodes[:1])) == sorted([iri("b"), iri("x?q=1&r=%22#f"), iri("é")])
    assert store.neighbours(nodes) == local.neighbours(nodes)
    for inverse in (False, True):
        assert store.follow(nodes, iri("p"), inverse) == local.follow(nodes, iri("p"), inverse)
        assert store.relations_at(nodes, inverse) == local.relations_at(nodes, inverse)
    assert store.follow(nodes, TYPE, False) == local.follow(nodes, TYPE, False)
    assert client.requests == before
    classes = [iri("Country"), iri("State"), iri("Narnia")]
    members = store.about_members(classes, [TYPE], most=50)
    assert members[classes[0]] == ([iri("p"), iri("q%7D")], [iri("p")], classes[:1])
    assert members[classes[1]] == ([iri("p")], [iri("p")], classes[1:2])
    assert members[classes[2]] == ([], [], [])
    ends = store.ends_of_members(classes, [TYPE], most=50)
    assert ends[classes[0], iri("p"), False] == {End(classes[1], False)}
    assert ends[classes[1], iri("p"), True] == {End(classes[0], False)}
    assert End(iri("own"), True) in ends[classes[1], iri("p"), False]
    assert all(end.is_value for end in ends[classes[1], iri("p"), False])
    assert client.requests == before + 2


def check_labels(client: SparqlClient, folder: File) -> None:
    """Names are those of an index of the same triples, and found by their texts."""
    file = folder / "contract.nt"
    file.write_text(document(), encoding="ascii")
    local = open_kg(str(file), cache=folder / "cache")
    labels = SparqlLabels(client)
    terms = [iri(name) for name in ("a", "b", "p", "q%7D", "hub", "Country")]
    for term in terms:
        assert labels.names([term]) == local.labels.names([term])
    assert labels.describe(terms) == local.labels.describe(terms)
    assert labels.relations() == local.labels.relations()
    texts = ["Georgia", "borders", "Narnia"]
    assert labels.known(map(normalise, texts)) == {"georgia", "borders"}
    assert labels.lookup("georgia") == local.labels.lookup("georgia")
    for text in texts:
        for relation in (False, True):
            found = labels.named(text, relation=relation)
            assert found == local.labels.named(text, relation=relation)
    words = {(word.text, word.term, word.relation) for word in local.labels.vocabulary()}
    assert {(word.text, word.term, word.relation) for word in labels.vocabulary()} == words
    local.close()


def check_verification(client: SparqlClient) -> None:
    """What is there is supported, what is not is unsupported, and nothing is unknown."""
    a_b, b_chat = Step(FACTS[0]), Step(FACTS[4])
    turned = Step(Triple(iri("b"), iri("p"), iri("a")))
    other = Step(FACTS[4]._replace(tail='"chat"@de'))
    paths = [
        Path(iri("a"), (a_b,)),
        Path(iri("a"), (a_b, b_chat)),
        Path(iri("b"), (Step(FACTS[0], True),)),
        Path(iri("b"), (turned,)),
        Path(iri("a"), (a_b, other)),
    ]
    judged = verify_paths(SparqlStore(client), [iri("a"), iri("b")], paths)
    assert [found.verdict for found in judged] == ["supported"] * 3 + ["unsupported"] * 2


def document(triples: Iterable[Triple] = TRIPLES) -> str:
    """Triples as N-Triples, in ASCII and with every escape that the terms need."""
    lines = (f"{quad(triple, ox.DefaultGraph()).triple} .\n" for triple in triples)
    return "".join(map(_in_ascii, lines))


def _in_ascii(line: str) -> str:
    return "".join(c if c.isascii() else f"\\U{ord(c):08X}" for c in line)


if __name__ == "__main__":
    print(document(), end="")
