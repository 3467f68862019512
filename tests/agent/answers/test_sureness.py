"""How sure a reading is, by what is known of it."""

from collections.abc import Sequence
from math import exp, isfinite

import pytest
from groundwalk.agent.answers.sureness import Evidence, evidence_of, sureness, unlike
from groundwalk.agent.query.binding import Bound
from groundwalk.agent.query.question import Asked, mentions_of
from groundwalk.agent.query.reader import ReadQuery
from groundwalk.agent.query.tree import read_query
from groundwalk.agent.reader.weights import open_reader
from hypothesis import given
from hypothesis import strategies as st

shares = st.floats(0, 1)
evidences = st.builds(Evidence, shares, shares, shares, shares)


@given(evidences, st.lists(st.floats(-20, 20), min_size=5, max_size=5))
def test_a_sureness_is_a_share(evidence: Evidence, weights: Sequence[float]) -> None:
    assert 0 <= sureness(evidence, weights) <= 1
    assert sureness(evidence, ()) == evidence.probability


@given(evidences, evidences)
def test_the_bundled_weights_take_better_evidence_for_no_worse(
    one: Evidence, other: Evidence
) -> None:
    weights = open_reader().settings.sureness
    assert len(weights) == len(one.features)
    better = Evidence(
        max(one.probability, other.probability),
        max(one.share, other.share),
        min(one.unread, other.unread),
        max(one.likeness, other.likeness),
    )
    assert sureness(better, weights) >= max(sureness(one, weights), sureness(other, weights)) - 1e-9


def test_the_weights_are_of_the_features_in_their_order() -> None:
    evidence = Evidence(probability=1 / (1 + exp(2)), share=0.5, unread=0.25, likeness=0.75)
    assert evidence.features == pytest.approx((-2, 0, 0.25, 0.75, 1))
    assert all(map(isfinite, Evidence(0.0, 1.0, 0.0, 0.0).features))
    assert sureness(evidence, (0, 0, 0, 0, 0)) == 0.5


def test_what_comes_to_the_same_counts_with_a_reading() -> None:
    bound = Bound(read_query({"start": [0]}), {}, {}, {}, ())
    one, same, other = (ReadQuery(bound, (), p, unread=0.3) for p in (0.4, 0.2, 0.2))
    asked = Asked("?", mentions_of("?", []))
    evidence = evidence_of(asked, one, [same], [one, same, other], unlike)
    assert evidence == pytest.approx((0.6, 0.75, 0.3, 0.0))
