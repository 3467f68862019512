"""Made-up names, and slips in them."""

from random import Random

from groundwalk.agent.kg import normalise
from groundwalk.evaluation.benchmarks.harness import mistyped, names
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA


def test_names_are_many_and_the_same_every_time() -> None:
    some = list(names(2_000))
    assert len({normalise(name) for name in some}) == 2_000
    assert list(names(2_000)) == some
    assert list(names(10, seed=1)) != some[:10]
    assert {len(name.split()) for name in some} == {2, 3}


@given(st.sampled_from(list(names(50))), st.randoms(use_true_random=False))
def test_a_slip_is_one_edit_inside_the_name(name: str, dice: Random) -> None:
    typed = mistyped(name, dice)
    assert OSA.distance(typed, name) == 1
    assert (typed[:2], typed[-1]) == (name[:2], name[-1])
