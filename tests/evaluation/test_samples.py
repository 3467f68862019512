"""A sample over the kinds of questions, and what holds of it whatever the questions are."""

import pickle
from collections import Counter
from random import Random

import pytest
from groundwalk.evaluation.datasets.jsonl import read_world
from groundwalk.evaluation.samples import Gold, Sample, pack, spread
from hypothesis import given
from hypothesis import strategies as st

KINDS = st.tuples(
    st.sampled_from(("", "path", "set")),
    st.sampled_from((None, 1, 2)),
    st.sampled_from(((), ("a",), ("a", "b"), ("b", "a"))),
    st.booleans(),
)


def kind(sample: Sample) -> tuple[str, int | None, bool, frozenset[str]]:
    return sample.type, sample.hops, bool(sample.answers), frozenset(sample.tags)


@given(st.lists(KINDS, min_size=1, max_size=60), st.integers(0, 3), st.randoms())
def test_every_beginning_is_over_the_kinds(
    kinds: list[tuple[str, int | None, tuple[str, ...], bool]], seed: int, random: Random
) -> None:
    samples = [
        Sample(str(n), f"q{n}", (Gold(label="x"),) * answered, hops=hops, tags=tags, type=own)
        for n, (own, hops, tags, answered) in enumerate(kinds)
    ]
    order = spread(samples, seed)
    assert sorted(order, key=lambda s: s.id) == sorted(samples, key=lambda s: s.id)
    sizes, alike = Counter(map(kind, samples)), {kind(sample)[:3] for sample in samples}
    for count in range(1, len(samples) + 1):
        taken = Counter(map(kind, order[:count]))
        assert len(taken) == min(count, len(sizes)), "one of a kind before any is there twice"
        assert len({own[:3] for own in taken}) == min(count, len(alike))
    random.shuffle(samples)
    assert spread(samples, seed) == order, "the ids decide, not the order of the file"


def test_the_seed_decides_which() -> None:
    samples = [Sample(f"q{n}", str(n)) for n in range(100)]
    assert spread(samples, 1) != spread(samples, 2) != tuple(samples)


@pytest.mark.parametrize("count", [10, 50, 100, 200])
def test_a_sample_of_the_world_questions_is_as_they_are(count: int) -> None:
    samples = read_world()
    taken = spread(samples, 0)[:count]
    for hops in (None, 1, 2, 3):
        shares = [sum(s.hops == hops for s in own) / len(own) for own in (taken, samples)]
        assert shares[0] > 0 and abs(shares[0] - shares[1]) < 0.1
    assert {bool(s.answers) for s in taken} == {True, False}


TRIPLES = st.lists(st.tuples(st.text(max_size=4), st.text(max_size=4), st.text(max_size=4)))


@given(TRIPLES)
def test_packed_triples_are_the_triples(triples: list[tuple[str, str, str]]) -> None:
    packed = pack(triples)
    assert list(packed) == list(dict.fromkeys(triples))
    assert len(packed) == len(set(triples))
    assert all(triple in packed for triple in triples)
    assert ("", "", "", "") not in packed
    assert pickle.loads(pickle.dumps(packed)) == packed == pack(triples)
    assert hash(packed) == hash(pack(triples))


def test_names_that_recur_are_kept_once() -> None:
    triples = [("a long name of an entity", "relation", f"x{number}") for number in range(5_000)]
    packed = pack(triples)
    assert len(packed.names) + len(packed.indices) < 25 * len(triples)
