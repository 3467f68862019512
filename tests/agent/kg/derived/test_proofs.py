"""Every path of a reading is proved by real triples, connected, from the same topic to its end."""

from groundwalk.agent.kg import KnowledgeGraph, Path, Reading, Step, Triple, verify_paths
from groundwalk.agent.kg.derived.merged import MOST_MEMBERS
from hypothesis import strategies as st

from ....properties import holds_for
from . import oracle
from .worlds import (
    ABOVE,
    ENTITIES,
    INVERSE,
    LITERALS,
    NODES,
    PREDICATE,
    PROFILE,
    RELATIONS,
    SAME,
    SUBJECT,
    graphs,
    iri,
    named,
    opened,
    readings,
)

R, S, P, _ = RELATIONS
A, B, C, D = ENTITIES


@holds_for(graphs, readings, st.data())
def test_every_walk_is_proved(triples: list[Triple], reading: Reading, data: st.DataObject) -> None:
    kg = opened(triples, reading)
    paths: list[Path] = []
    for topic in NODES:
        path = Path(topic, ())
        for _ in range(3):
            (steps,) = kg.walks.neighbours([path.end])
            if steps:
                path = Path(topic, (*path.steps, data.draw(st.sampled_from(steps))))
        if path.steps:
            paths.append(path)
    proofs = kg.prove(paths)
    assert proofs == kg.prove(paths)
    assert proofs == [kg.prove([path])[0] for path in paths]
    for path, proof in zip(paths, proofs, strict=True):
        assert proof is not None
        assert (proof.topic, proof.end) == (path.topic, path.end)
        assert {step.triple for step in proof.steps} <= set(triples)
        if proof.steps:
            (verdict,) = verify_paths(kg.store, [path.topic], [proof])
            assert verdict.verdict == "supported" and verdict.connected
        if not kg.used(path, proof):
            assert path.relations == proof.relations
        else:
            assert path != proof


@holds_for(graphs, readings, st.data())
def test_a_proof_does_not_rest_on_what_left_the_store(
    triples: list[Triple], reading: Reading, data: st.DataObject
) -> None:
    """A walk that still exists has a proof, of triples that are there."""
    kg = opened(triples, reading)
    facts = sorted(kg.walks.facts())
    if not facts:
        return
    gone = data.draw(st.sampled_from(triples))
    left = opened([triple for triple in triples if triple != gone], reading)
    paths = [Path(step.source, (step,)) for fact in facts for step in _steps(kg, fact)]
    there = oracle.presented([t for t in triples if t != gone], PROFILE, reading)
    for path, proof in zip(paths, left.prove(paths), strict=True):
        if path.steps[0].triple in there.facts:
            assert proof is not None
            assert gone not in {step.triple for step in proof.steps}


def _steps(kg: KnowledgeGraph, fact: Triple) -> list[Step]:
    return [Step(fact)] if kg.is_one_way(fact) else [Step(fact), Step(fact, True)]


def proof_of(triples: list[Triple], reading: Reading, *steps: Step) -> list[Triple] | None:
    kg = opened([*triples, *named()], reading)
    for step in steps:
        assert step in kg.walks.neighbours([step.source])[0]
    (proof,) = kg.prove([Path(steps[0].source, steps)])
    return [step.triple for step in proof.steps] if proof else None


def test_the_triple_itself_is_preferred() -> None:
    facts = [Triple(A, P, B), Triple(A, R, B), Triple(R, ABOVE, P)]
    up = Reading("keep", sub_property_of=True)
    assert proof_of(facts, up, Step(Triple(A, P, B))) == [Triple(A, P, B)]
    assert proof_of(facts[1:], up, Step(Triple(A, P, B))) == [Triple(A, R, B)]
    back = Reading("keep", inverse_of=True)
    both = [Triple(A, R, B), Triple(B, S, A), Triple(R, INVERSE, S)]
    assert proof_of(both, back, Step(Triple(B, S, A))) == [Triple(B, S, A)]
    assert proof_of(both[::2], back, Step(Triple(B, S, A))) == [Triple(A, R, B)]


def test_a_walk_turns_round_among_what_is_the_same_by_the_shortest_way() -> None:
    facts = [
        *(Triple(A, R, tail) for tail in (A, D)),
        *(Triple(one, SAME, other) for one, other in ((A, B), (B, C))),
        Triple(D, S, C),
        Triple(C, P, D),
    ]
    reading = Reading("keep", same_as=True)
    walk = Step(Triple(D, S, A)), Step(Triple(A, P, D))
    assert proof_of(facts, reading, *walk) == [Triple(D, S, C), Triple(C, P, D)]
    there = [Triple(A, SAME, B), Triple(B, SAME, C)]
    assert proof_of(facts, reading, walk[1]) == [*there, Triple(C, P, D)]
    assert proof_of(facts, reading, walk[0]) == [Triple(D, S, C), *there[::-1]]


def test_an_annotation_is_proved_with_the_predicate_that_it_is_about() -> None:
    note, year = iri("s1"), LITERALS[0]
    facts = [
        Triple(A, R, B),
        Triple(note, SUBJECT, A),
        Triple(note, PREDICATE, R),
        Triple(note, S, year),
    ]
    kg = opened([*facts, *named()], Reading("collapse"))
    (steps,) = kg.walks.neighbours([A])
    (step,) = [step for step in steps if step.target == year]
    assert kg.walk_labels.names([step.triple.relation]) == ["r0-r1"]
    (proof,) = kg.prove([Path(A, (step,))])
    assert proof is not None
    assert {step.triple for step in proof.steps} == set(facts[1:])
    assert verify_paths(kg.store, [A], [proof])[0].verdict == "supported"


def test_too_many_that_are_the_same_are_left_apart() -> None:
    for count in (MOST_MEMBERS, MOST_MEMBERS + 1):
        chain = [iri(f"x{i:03}") for i in range(count)]
        facts = [Triple(one, SAME, other) for one, other in zip(chain, chain[1:], strict=False)]
        kg = opened([*facts, Triple(A, R, chain[50])], Reading("keep", same_as=True))
        shown = {fact.tail for fact in kg.walks.facts()}
        stands = {*kg.representatives(chain).values()}
        assert shown == {chain[50]} and len(stands) == (1 if count == MOST_MEMBERS else count)
