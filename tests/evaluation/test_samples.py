"""A sample over the kinds of questions, and what holds of it whatever the questions are."""

from collections import Counter
from itertools import pairwise
from random import Random

from groundwalk.evaluation.readers import read_world
from groundwalk.evaluation.samples import Gold, Sample, spread
from hypothesis import given
from hypothesis import strategies as st

KINDS = st.tuples(
    st.sampled_from(("", "path", "set")),
    st.sampled_from((None, 1, 2)),
    st.sampled_from(((), ("a",), ("a", "b"), ("b", "a"))),
    st.booleans(),
)


def kind(sample: Sample) -> object:
    return sample.type, sample.hops, frozenset(sample.tags), bool(sample.answers)


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
    sizes = Counter(map(kind, samples))
    for count in range(1, len(samples) + 1):
        taken = Counter(map(kind, order[:count]))
        assert len(taken) == min(count, len(sizes)), "one of a kind before any is there twice"
        larger = sorted(sizes, key=lambda own: sizes[own])
        assert all(
            taken[one] <= taken[other]
            for one, other in pairwise(larger)
            if sizes[one] < sizes[other]
        )
    random.shuffle(samples)
    assert spread(samples, seed) == order, "the ids decide, not the order of the file"


def test_the_seed_decides_which() -> None:
    samples = [Sample(f"q{n}", str(n)) for n in range(100)]
    assert spread(samples, 1) != spread(samples, 2) != tuple(samples)


def test_some_of_the_world_questions_have_no_answer() -> None:
    samples = read_world()
    without = [not s.answers for s in samples]
    assert any(not s.answers for s in spread(samples, 0)[:50])
    share = sum(not s.answers for s in spread(samples, 0)[:150]) / 150
    assert abs(share - sum(without) / len(samples)) < 0.1
