"""A view shows true steps within its limits, the same whatever was asked before, and tells cuts."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyoxigraph as ox
import pytest
from groundwalk.agent.decoding.growing import GrowingIndex, NameTokens
from groundwalk.agent.errors import ServiceError
from groundwalk.agent.kg import Labels, OxigraphStore, Step, Term, Triple, open_kg
from groundwalk.agent.kg.store import Way
from groundwalk.agent.kg.walking.ranking import triple_texts
from groundwalk.agent.kg.walking.view import Cut, GraphView, NeighbourCache, ViewLimits
from hypothesis import given, settings
from hypothesis import strategies as st

from ..decoding import worlds
from .graphs import quoted

NAMES = ["Ada", "Paris", "Rome", "New York", "York", "River Po", "the River", "Lima"]
RELATIONS = ["capital of", "river in", "born in", "capital city"]
QUESTIONS = ["Which river flows in New York?", "What is the capital of Lima?", "", "¿Qué?"]
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"


def iri(name: str) -> Term:
    return f"<http://example.org/{name.replace(' ', '_')}>"


class Asked(OxigraphStore):
    """A real store that remembers what it was asked, and does not answer while it is down."""

    def __init__(self, triples: Sequence[Triple]) -> None:
        inner = ox.Store()
        lines = "".join(f"{' '.join(triple)} .\n" for triple in triples)
        inner.load(lines, ox.RdfFormat.N_TRIPLES)
        super().__init__(inner)
        self.asked: list[tuple[list[Term], int]] = []
        self.more = 0
        """How often it was asked about hubs."""
        self.down = False

    def neighbours(
        self, nodes: Sequence[Term], *, inverse: bool = True, limit: int = 100_000
    ) -> list[list[Step]]:
        if self.down:
            raise ServiceError("down")
        self.asked.append(([*nodes], limit))
        return super().neighbours(nodes, inverse=inverse, limit=limit)

    def relations_at(self, nodes: Sequence[Term], inverse: bool) -> list[list[Term]]:
        if self.down:
            raise ServiceError("down")
        self.more += 1
        return super().relations_at(nodes, inverse)

    def follow_each(self, ways: Sequence[Way], *, limit: int = 100_000) -> list[list[Step]]:
        self.more += 1
        return super().follow_each(ways, limit=limit)


class ByTable:
    """Relations are as similar as a table says."""

    def __init__(self, similar: dict[str, float]) -> None:
        self.similar = similar

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        return [self.similar[text] for text in texts]


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Labels]:
    """The names of everything that the graphs below are made of."""
    folder: Path = tmp_path_factory.mktemp("labels")
    lines = [f"{iri(name)} {LABEL} {quoted(name)} ." for name in NAMES + RELATIONS]
    lines += [f"{iri('Ada')} {iri(name)} {iri('Rome')} ." for name in RELATIONS]
    (folder / "names.nt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    kg = open_kg(str(folder / "names.nt"), cache=folder / "cache")
    yield kg.labels
    kg.close()


hubs = st.sampled_from([iri(name) for name in NAMES[:3]])
nodes = hubs | st.sampled_from([iri(name) for name in NAMES])
relations = st.sampled_from([iri(name) for name in RELATIONS])
tails = nodes | st.sampled_from(['"Rome"', '"the river"@en'])
triples = st.builds(Triple, hubs, relations, tails)
graphs = st.lists(triples, max_size=5) | st.lists(triples, min_size=12, max_size=30)
asked = st.lists(nodes | st.sampled_from(['"Rome"', "<x:nowhere>", "no term"]), max_size=12)
bounds = st.none() | st.integers(0, 4) | st.integers(5, 12)
excluded = st.frozensets(relations, max_size=2)
degrees = st.builds(ViewLimits, st.none(), bounds, st.booleans(), excluded)
everything = st.builds(ViewLimits, bounds, bounds, st.booleans(), excluded)
questions = st.sampled_from(QUESTIONS)
caches = st.tuples(st.integers(1, 20), st.integers(1, 6))


def in_batches(data: st.DataObject, terms: Sequence[Term]) -> Iterator[list[Term]]:
    """The terms in some order and in batches of any size."""
    left = list(data.draw(st.permutations(terms)))
    while left:
        size = data.draw(st.integers(1, len(left)))
        yield left[:size]
        del left[:size]


def true_steps(store: OxigraphStore, node: Term, limits: ViewLimits) -> list[Step]:
    (steps,) = store.neighbours([node], inverse=limits.inverse)
    return [step for step in steps if step.triple.relation not in limits.excluded]


@given(graphs, asked, st.booleans(), st.data())
def test_a_view_without_limits_is_the_store(
    labels: Labels,
    triples: list[Triple],
    terms: list[Term],
    inverse: bool,
    data: st.DataObject,
) -> None:
    store = Asked(triples)
    view = GraphView(store, labels, ViewLimits(None, None, inverse), "")
    for batch in in_batches(data, terms):
        found = view.neighbours(batch)
        assert view.requests == len(store.asked)
        assert found == OxigraphStore.neighbours(store, batch, inverse=inverse)
        assert {step.triple for steps in found for step in steps} <= view.triples
    once = [term for terms, _ in store.asked for term in terms]
    assert sorted(once) == sorted({*terms})
    assert view.triples <= {*triples}
    assert view.cuts == []


@given(graphs, asked, degrees, questions)
def test_a_hub_keeps_steps_of_every_relation(
    labels: Labels, triples: list[Triple], terms: list[Term], limits: ViewLimits, question: str
) -> None:
    store = Asked(triples)
    view = GraphView(store, labels, limits, question)
    cuts: dict[Term, Cut] = {}
    for node, steps in zip(terms, view.neighbours(terms), strict=True):
        every = true_steps(store, node, limits)
        most = len(every) if limits.max_degree is None else limits.max_degree
        assert steps == [step for step in every if step in set(steps)]
        assert len(steps) == len(set(steps)) == min(most, len(every))
        for part in (0, slice(None)):
            walked = {(step.triple.relation, step.inverse)[part] for step in every}
            kept = {(step.triple.relation, step.inverse)[part] for step in steps}
            assert len(kept) >= min(most, len(walked))
        if steps != every:
            cuts[node] = Cut(node, len(steps), len(every), False)
    assert view.cuts == [cuts[node] for node in sorted(cuts)]


@given(graphs, asked, degrees, questions, caches, st.data())
def test_a_node_shows_the_same_whatever_was_asked_before(
    labels: Labels,
    triples: list[Triple],
    terms: list[Term],
    limits: ViewLimits,
    question: str,
    bound: tuple[int, int],
    data: st.DataObject,
) -> None:
    store = Asked(triples)
    max_steps, limit = bound
    fresh = NeighbourCache(store, limit=limit)
    alone = GraphView(store, labels, limits, question, cache=fresh)
    expected = dict(zip(terms, alone.neighbours(terms), strict=True))
    cache = NeighbourCache(store, max_steps=max_steps, limit=limit)
    other = GraphView(store, labels, data.draw(everything), data.draw(questions), cache=cache)
    view = GraphView(store, labels, limits, question, cache=cache)
    before = len(store.asked) + store.more
    for batch in in_batches(data, terms):
        other.neighbours(data.draw(asked))
        assert view.neighbours(batch) == [expected[term] for term in batch]
    assert view.cuts == alone.cuts
    assert view.requests + other.requests == len(store.asked) + store.more - before


@given(graphs, asked, everything, questions, st.data())
def test_a_view_holds_no_more_than_its_triples(
    labels: Labels,
    triples: list[Triple],
    terms: list[Term],
    limits: ViewLimits,
    question: str,
    data: st.DataObject,
) -> None:
    store = Asked(triples)
    view = GraphView(store, labels, limits, question)
    most = len(triples) if limits.max_triples is None else limits.max_triples
    shown: dict[Term, list[Step]] = {}
    late: set[Term] = set()
    for batch in in_batches(data, terms):
        full = len(view.triples) >= most and limits.max_triples is not None
        requests = view.requests
        late |= {*batch} - {*shown} if full else set()
        shown.update(zip(batch, view.neighbours(batch), strict=True))
        assert not full or view.requests == requests
        assert len(view.triples) <= most
    assert view.neighbours(list(shown)) == list(shown.values())
    assert view.triples == {step.triple for steps in shown.values() for step in steps}
    cuts = {cut.node: cut for cut in view.cuts}
    for node, steps in shown.items():
        every = true_steps(store, node, limits)
        assert steps == [step for step in every if step in set(steps)]
        if node in late:
            assert not steps and cuts[node] == Cut(node, 0, 0, True)
        else:
            missing = Cut(node, len(steps), len(every), False)
            assert cuts.get(node) == (missing if len(steps) < len(every) else None)


@given(graphs, asked, everything, questions, st.data())
def test_what_a_full_view_shows_depends_on_no_order_in_a_batch(
    labels: Labels,
    triples: list[Triple],
    terms: list[Term],
    limits: ViewLimits,
    question: str,
    data: st.DataObject,
) -> None:
    store = Asked(triples)
    one = GraphView(store, labels, limits, question)
    other = GraphView(store, labels, limits, question)
    mixed = data.draw(st.permutations(terms))
    found = dict(zip(mixed, other.neighbours(mixed), strict=True))
    assert one.neighbours(terms) == [found[term] for term in terms]
    assert (one.cuts, one.triples) == (other.cuts, other.triples)


def test_the_nodes_of_a_batch_share_what_is_left(labels: Labels) -> None:
    born = [Triple(f"<x:p{i}>", iri("born in"), iri("Paris")) for i in range(50)]
    few = [Triple(iri("Rome"), iri("capital of"), f"<x:c{i}>") for i in range(3)]
    rivers = [Triple(iri("Lima"), iri("river in"), f"<x:r{i}>") for i in range(50)]
    store = Asked(born + few + rivers)
    view = GraphView(store, labels, ViewLimits(max_triples=23), "")
    found = view.neighbours([iri("Rome"), iri("Paris"), iri("Lima"), "<x:p0>"])
    assert [len(steps) for steps in found] == [3, 9, 10, 1]
    assert len(view.triples) == 22, "one of them is shown from both of its ends"


def test_a_triple_that_was_shown_takes_no_more_room(labels: Labels) -> None:
    store = Asked([Triple(f"<x:p{i}>", iri("born in"), iri("Rome")) for i in range(9)])
    view = GraphView(store, labels, ViewLimits(max_triples=5), "")
    assert [len(steps) for steps in view.neighbours(["<x:p0>", "<x:p8>"])] == [1, 1]
    (steps,) = view.neighbours([iri("Rome")])
    assert [step.target for step in steps] == [f"<x:p{i}>" for i in (0, 1, 2, 3, 8)]
    assert view.cuts == [Cut(iri("Rome"), 5, 9, False)]
    assert len(view.triples) == 5


@given(
    st.lists(st.integers(1, 30), min_size=4, max_size=4),
    st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0]), min_size=4, max_size=4),
    st.integers(0, 60),
)
@settings(max_examples=50)
def test_relations_that_are_more_similar_keep_more(
    labels: Labels, sizes: list[int], similar: list[float], most: int
) -> None:
    hub = iri("Ada")
    facts = [
        Triple(hub, iri(relation), f"<x:t{i}>")
        for relation, size in zip(RELATIONS, sizes, strict=True)
        for i in range(size)
    ]
    ranker = ByTable(dict(zip(RELATIONS, similar, strict=True)))
    view = GraphView(Asked(facts), labels, ViewLimits(max_degree=most), "", ranker=ranker)
    (steps,) = view.neighbours([hub])
    kept = [sum(step.triple.relation == iri(r) for step in steps) for r in RELATIONS]
    for size, score, own in zip(sizes, similar, kept, strict=True):
        assert own >= min(size, most // 8)
        for more, higher, other in zip(sizes, similar, kept, strict=True):
            assert not (higher > score and more >= size) or other >= own


def test_a_hub_keeps_what_the_question_asks_for(labels: Labels) -> None:
    hub, question = iri("New York"), "Which river in New York is like the River Po?"
    rivers = [Triple(hub, iri("river in"), f"<a:{i}>") for i in range(100)]
    rivers.append(Triple(hub, iri("river in"), iri("River Po")))
    born = [Triple(f"<a:{i}>", iri("born in"), hub) for i in range(1_000)]
    capital = [Triple(hub, iri("capital of"), iri("Lima"))]
    store = Asked(rivers + born + capital)
    view = GraphView(store, labels, ViewLimits(max_degree=40), question)
    (steps,) = view.neighbours([hub])
    by = {r: [s.target for s in steps if s.triple.relation == iri(r)] for r in RELATIONS}
    assert by["capital of"] == [iri("Lima")]
    assert len(by["river in"]) > 2 * len(by["born in"]) > 10
    assert iri("River Po") in by["river in"]
    plain = sorted(f"<a:{i}>" for i in range(100))
    assert by["river in"][:-1] == plain[: len(by["river in"]) - 1]
    assert by["born in"] == sorted(f"<a:{i}>" for i in range(1_000))[: len(by["born in"])]
    assert view.cuts == [Cut(hub, 40, 1_102, False)]


@pytest.mark.parametrize("facts", [19, 20, 21, 40])
@pytest.mark.parametrize("inverse", [False, True])
def test_a_look_up_is_whole_up_to_its_bound(labels: Labels, facts: int, inverse: bool) -> None:
    out = [Triple("<x:hub>", "<x:r>", f"<x:t{i}>") for i in range(facts)]
    triples = [Triple(tail, r, head) for head, r, tail in out] if inverse else out
    store = Asked([*triples, Triple("<x:hub>", "<x:s>", "<x:hub>")])
    limits = ViewLimits(max_degree=None, excluded=frozenset(["<x:s>"]))
    view = GraphView(store, labels, limits, "", cache=NeighbourCache(store, limit=21))
    (steps,) = view.neighbours(["<x:hub>"])
    shown = facts if facts < 21 else 20  # what is left out may not crowd out, nor be crowded out
    assert len(steps) == shown
    assert view.cuts == ([] if facts < 21 else [Cut("<x:hub>", shown, shown, True)])


def test_a_great_hub_costs_one_bounded_look_up(labels: Labels) -> None:
    store = Asked([Triple(f"<x:t{i}>", iri("born in"), "<x:hub>") for i in range(30_000)])
    cache = NeighbourCache(store, limit=1_000)
    view = GraphView(store, labels, ViewLimits(max_degree=20), "", cache=cache)
    assert len(view.neighbours(["<x:hub>"])[0]) == 20
    assert view.cuts == [Cut("<x:hub>", 20, 1_000, True)]
    assert store.asked == [(["<x:hub>"], 1_001)]
    wide = GraphView(store, labels, ViewLimits(max_degree=None), "", cache=cache)
    assert len(wide.neighbours(["<x:hub>"])[0]) == 1_000
    assert wide.cuts == [Cut("<x:hub>", 1_000, 1_000, True)]
    assert wide.requests == 0
    none = ViewLimits(excluded=frozenset([iri("born in")]))
    without = GraphView(store, labels, none, "", cache=cache)
    assert without.neighbours(["<x:hub>"]) == [[]]
    assert without.cuts == [Cut("<x:hub>", 0, 0, True)]


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=30), st.integers(1, 8))
def test_nodes_used_longest_ago_leave_the_cache(
    uses: list[tuple[int, bool]], max_steps: int
) -> None:
    """Node n has n facts; the look-ups of each direction are kept apart."""
    store = Asked([Triple(f"<x:n{n}>", "<x:r>", f"<x:t{i}>") for n in range(6) for i in range(n)])
    cache = NeighbourCache(store, max_steps=max_steps)
    kept: OrderedDict[tuple[int, bool], int] = OrderedDict()
    for use in uses:
        node, inverse = use
        _, requests = cache.look_up([f"<x:n{node}>"], inverse=inverse)
        assert requests == (use not in kept)
        kept.pop(use, None)
        if max(1, node) <= max_steps:
            kept[use] = max(1, node)
        while sum(kept.values()) > max_steps:
            kept.popitem(last=False)


def test_threads_share_a_cache(labels: Labels) -> None:
    triples = [Triple("<x:n0>", iri("born in"), f"<x:n{i}>") for i in range(40)]
    for i in range(40):
        triples.append(Triple(f"<x:n{i}>", iri(RELATIONS[i % 4]), f"<x:n{i * 7 % 40}>"))
    store = Asked(triples)
    expected = {f"<x:n{i}>": true_steps(store, f"<x:n{i}>", ViewLimits()) for i in range(40)}
    cache = NeighbourCache(store, max_steps=60)

    def walk(seed: int) -> bool:
        view = GraphView(store, labels, ViewLimits(), "", cache=cache)
        for i in range(200):
            batch = [f"<x:n{(seed * 11 + i * j) % 40}>" for j in range(3)]
            if view.neighbours(batch) != [expected[node] for node in batch]:
                return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(walk, range(16)))


def test_a_view_may_be_asked_again_after_an_error(labels: Labels) -> None:
    store = Asked([Triple(iri("Ada"), iri("born in"), f"<x:t{i}>") for i in range(9)])
    view = GraphView(store, labels, ViewLimits(max_degree=3), "")
    store.down = True
    for _ in range(2):
        with pytest.raises(ServiceError):
            view.neighbours([iri("Ada")])
    assert not view.triples and not view.cuts
    store.down = False
    assert len(view.neighbours([iri("Ada")])[0]) == 3
    store.down = True
    assert len(view.neighbours([iri("Ada")])[0]) == 3


def test_an_index_grows_over_a_view(labels: Labels) -> None:
    store = Asked([Triple(iri("Ada"), iri("born in"), iri(name)) for name in NAMES[1:]])
    view = GraphView(store, labels, ViewLimits(max_degree=4), "Was Ada born in Rome?")
    index = GrowingIndex(view, NameTokens(worlds.byte_level()))
    (ada,) = index.find([iri("Ada")])
    assert ada is not None
    reached = index.edge_target[index.edges(np.arange(*index.leaving(ada)))]
    shown = {step.target for step in view.neighbours([iri("Ada")])[0]}
    assert iri("Rome") in shown and len(shown) == 4
    assert {index.entities[node] for node in reached.tolist()} == shown


def test_triples_are_embedded_by_their_names(labels: Labels) -> None:
    triples = [Triple(iri("Ada"), iri("born in"), iri("New York"))] * 2
    assert triple_texts(triples, labels) == ["(Ada, born in, New York)"] * 2
    assert triple_texts([], labels) == []
