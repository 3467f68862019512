"""Claims against the fact list itself: verdicts, flags and requests."""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import NamedTuple

from groundwalk.agent.errors import ServiceError
from groundwalk.agent.kg import OxigraphStore, Triple
from groundwalk.agent.kg.verification.claims import Chain, Claim, Inquiry, Statement, Written, judge
from hypothesis import given
from hypothesis import strategies as st

from ...properties import holds_for
from .sparql.asking import loaded

IRIS = [f"<urn:{name}>" for name in "abcd"]
LITERALS = ['"x"', '"x"@en', '"x"@de', '"x"^^<urn:own>', '"y"@en']
RELATIONS = ["<urn:p>", "<urn:q>"]
TRIPLES = st.builds(
    Triple, st.sampled_from(IRIS), st.sampled_from(RELATIONS), st.sampled_from(IRIS + LITERALS)
)
FACTS = st.lists(TRIPLES, max_size=14).map(frozenset)
TERMS = st.sampled_from(IRIS + LITERALS)


class Case(NamedTuple):
    """A graph, what its store keeps to itself, and a claim about it."""

    facts: frozenset[Triple]
    silent: frozenset[Triple]
    topics: list[str]
    chain: list[Triple]
    answers: list[str]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Most triples of a chain are facts or nearly so, and most touch what was visited."""
    facts = draw(FACTS)
    pool = sorted(facts)
    mutated = [Triple(t.tail, t.relation, t.head) for t in pool if t.tail.startswith("<")]
    triples = st.sampled_from(pool * 4 + mutated) if pool else TRIPLES
    chain = draw(st.lists(triples | TRIPLES, max_size=4))
    silent = draw(st.lists(st.sampled_from(chain), max_size=1) if chain else st.just([]))
    topics = draw(st.lists(TERMS, max_size=2))
    if chain and draw(st.booleans()):
        topics.append(draw(st.sampled_from([chain[0].head, chain[0].tail])))
    return Case(facts, frozenset(silent), topics, chain, draw(st.lists(TERMS, max_size=3)))


class Silent(OxigraphStore):
    """Says nothing of some triples, and keeps what it was asked."""

    def __init__(self, facts: Iterable[Triple], silent: frozenset[Triple] = frozenset()) -> None:
        super().__init__(loaded(facts))
        self.silent = silent
        self.asked: list[Sequence[Triple]] = []

    def holds(self, triples: Sequence[Triple]) -> list[bool | None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        self.asked.append(triples)
        held = super().holds(triples)
        return [None if t in self.silent else h for t, h in zip(triples, held, strict=True)]


def written(term: str) -> Written:
    return Written(term, term)


def statements(triples: Iterable[Triple]) -> Chain:
    return tuple(Statement(*map(written, triple)) for triple in triples)


def claim(topics: Iterable[str], chain: Iterable[Triple], answers: Iterable[str] = ()) -> Claim:
    return Claim(tuple(map(written, topics)), (statements(chain),), tuple(map(written, answers)))


def touches(case: Case, place: int) -> bool:
    """DoG section 2.2, the second property, of one triple."""
    before = {end for t in case.chain[:place] for end in (t.head, t.tail)}
    return bool(before.union(case.topics) & {case.chain[place].head, case.chain[place].tail})


def expected_triples(case: Case) -> list[str]:
    return [
        "unknown" if t in case.silent else "supported" if t in case.facts else "unsupported"
        for t in case.chain
    ]


def expected_chain(case: Case) -> str:
    triples = expected_triples(case)
    connected = all(touches(case, place) for place in range(len(case.chain)))
    if not triples or not connected or "unsupported" in triples:
        return "unsupported"
    return "unknown" if "unknown" in triples else "supported"


def expected_answers(case: Case) -> set[str]:
    """What a chain introduces; the ends of walks by trying every direction of every triple."""
    new = {end for t in case.chain for end in (t.head, t.tail)} - {*case.topics}
    for ways in product((False, True), repeat=len(case.chain)):
        walk = [
            (t.tail, t.head) if w else (t.head, t.tail)
            for t, w in zip(case.chain, ways, strict=True)
        ]
        places = [end for _, end in walk]
        if (
            walk
            and walk[0][0] in case.topics
            and all(start == place for (start, _), place in zip(walk[1:], places, strict=False))
        ):
            new.add(places[-1])
    return new


@holds_for(cases(), quick=60, slow=400)
def test_verdicts_are_those_of_the_fact_list(case: Case) -> None:
    inquiry = Inquiry(Silent(case.facts, case.silent))
    (judged,) = judge(inquiry, [claim(case.topics, case.chain, case.answers)])
    (chain,) = judged.chains
    assert [s.verdict for s in chain.statements] == expected_triples(case)
    assert chain.verdict == expected_chain(case)
    if case.chain:
        assert chain.well_formed is {"supported": True, "unsupported": False}.get(chain.verdict)
    carried = expected_answers(case) if chain.verdict != "unsupported" else set[str]()
    assert list(judged.answers) == [
        chain.verdict if answer in carried else "unsupported" for answer in case.answers
    ]


@holds_for(cases(), quick=60, slow=400)
def test_flags_explain_and_never_judge(case: Case) -> None:
    inquiry = Inquiry(Silent(case.facts, case.silent))
    (judged,) = judge(inquiry, [claim(case.topics, case.chain)])
    (chain,) = judged.chains
    raised: set[str] = set() if case.chain else {"empty"}
    for place, (triple, found) in enumerate(zip(case.chain, chain.statements, strict=True)):
        head, relation, tail = triple
        before = case.chain[:place]
        ends = {end for t in before for end in (t.head, t.tail)}
        turned = Triple(tail, relation, head)
        flags = {
            "reversed": found.verdict == "unsupported" and turned in case.facts - case.silent,
            "not from a topic": place == 0 and not touches(case, place),
            "not connected": place > 0 and not touches(case, place),
            "repeated triple": triple in before,
            "repeated entity": triple not in before and (head == tail or {head, tail} <= ends),
        }
        assert set(found.flags) == {flag for flag, raised in flags.items() if raised}
        raised |= set(found.flags)
    assert set(chain.flags) == raised and len(chain.flags) == len(raised)


def test_chains_of_a_claim_carry_answers_together_and_topics_of_others_do_not() -> None:
    ab, bc = Triple(IRIS[0], RELATIONS[0], IRIS[1]), Triple(IRIS[1], RELATIONS[0], IRIS[2])
    both = Claim(
        (written(IRIS[0]),),
        (statements([ab]), statements([ab, bc])),
        (written(IRIS[2]), written(IRIS[3])),
    )
    other = claim([IRIS[3]], [ab], [IRIS[1]])
    found = judge(Inquiry(Silent([ab, bc])), [both, other])
    assert [judged.answers for judged in found] == [("supported", "unsupported"), ("unsupported",)]


@given(st.lists(TRIPLES, max_size=20), st.integers(1, 30))
def test_each_triple_is_asked_once_and_200_at_a_time(few: list[Triple], copies: int) -> None:
    many = [Triple(f"<urn:{i}>", "<urn:p>", "<urn:a>") for i in range(copies * 17)]
    store = Silent(many)
    inquiry = Inquiry(store)
    found = inquiry.verdicts([*few, *many, *few, *many])
    asked = [triple for batch in store.asked for triple in batch]
    assert sorted(asked) == sorted({*few, *many}) == sorted(found)
    assert all(len(batch) == 200 for batch in store.asked[:-1]) and len(store.asked[-1]) <= 200
    assert (inquiry.triples, inquiry.requests) == (len(asked), len(store.asked))


def test_one_request_that_fails_leaves_the_others() -> None:
    class Failing(Silent):
        def holds(self, triples: Sequence[Triple]) -> list[bool | None]:  # pyright: ignore[reportIncompatibleMethodOverride]
            if any(triple.head == "<urn:250>" for triple in triples):
                raise ServiceError("no answer")
            return super().holds(triples)

    many = [Triple(f"<urn:{i}>", "<urn:p>", "<urn:a>") for i in range(600)]
    found = list(Inquiry(Failing(many)).verdicts(many).values())
    assert found == ["supported"] * 200 + ["unknown"] * 200 + ["supported"] * 200


def test_a_chain_of_ten_thousand_triples_in_fifty_requests() -> None:
    chain = [Triple(f"<urn:{i}>", "<urn:p>", f"<urn:{i + 1}>") for i in range(10_000)]
    inquiry = Inquiry(Silent(chain))
    (judged,) = judge(inquiry, [claim(["<urn:0>"], chain, ["<urn:10000>"])])
    assert (judged.chains[0].verdict, judged.answers) == ("supported", ("supported",))
    assert inquiry.requests == 50
