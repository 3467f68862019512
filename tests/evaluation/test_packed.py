"""Packed triples are the triples."""

import pickle

from groundwalk.evaluation.packed import pack
from hypothesis import given
from hypothesis import strategies as st

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
    assert len(packed.names) + len(packed.places) < 25 * len(triples)
