"""Groups of beams find what a naive diverse beam search over all words finds.

`diverse` states the conventions; the tests after the first one check them one by one.
"""

from itertools import product
from typing import Any

import pytest
from groundwalk.agent.decoding.paths import PathLimits, ReasoningPaths
from groundwalk.agent.decoding.plan import BeamPlan, Question
from groundwalk.agent.decoding.search import beam_search
from groundwalk.agent.errors import ConstraintError
from hypothesis import given, settings
from hypothesis import strategies as st

from . import language, worlds
from .constant import by_hand, constant_model
from .diverse import Scored, diverse_search, followers
from .test_precision import DENSE
from .test_search import MODELS, PROMPT, TOKENIZERS, limits, opened

CONSTANT = constant_model(len(TOKENIZERS["byte-level"]))


@st.composite
def plans(draw: st.DrawFn) -> BeamPlan:
    groups, size = draw(st.sampled_from([2, 3, 5])), draw(st.sampled_from([1, 2, 3]))
    return BeamPlan(
        beams=groups * size,
        groups=groups,
        diversity=draw(st.sampled_from([0.0, 0.5, 1.5])),
        scores=draw(st.sampled_from(["allowed", "full"])),
    )


def searched(model: Any, constraint: ReasoningPaths, plan: BeamPlan) -> list[Scored]:
    (found,) = beam_search(model, [Question(PROMPT, constraint)], plan)
    return [(h.tokens, h.score) for h in found.hypotheses]


@settings(max_examples=40, deadline=None)
@given(
    facts=language.facts(12),
    limits=limits,
    family=st.sampled_from(sorted(TOKENIZERS)),
    plan=plans(),
    data=st.data(),
)
def test_same_paths_scores_and_order_as_a_naive_search(
    facts: set[worlds.Fact],
    limits: PathLimits,
    family: str,
    plan: BeamPlan,
    data: st.DataObject,
) -> None:
    legal, constraint = opened(facts, language.topics(data.draw, facts), limits, family)
    if constraint is None or len(legal) > 1_000:
        return
    found = searched(MODELS[family], constraint, plan)
    follow = followers(MODELS[family], PROMPT, legal, plan.scores)
    expected = diverse_search(follow, plan)
    assert [word for word, _ in found] == [word for word, _ in expected]
    assert [s for _, s in found] == pytest.approx([s for _, s in expected], abs=1e-6)


@pytest.mark.parametrize("scores", ["allowed", "full"])
@pytest.mark.parametrize("family", sorted(TOKENIZERS))
def test_dense_graph_as_a_naive_search(family: str, scores: Any) -> None:
    """Many more words than beams, so that groups differ and end at different tokens."""
    limits = PathLimits(hops=2, revisits="walk")
    legal, constraint = opened(DENSE, [worlds.entity(0)], limits, family)
    assert constraint is not None
    follow = followers(MODELS[family], PROMPT, legal, scores)
    for groups, size, diversity in product((2, 3, 5), (1, 2), (0.0, 0.5, 1.5)):
        plan = BeamPlan(groups * size, scores, groups, diversity)
        found, expected = searched(MODELS[family], constraint, plan), diverse_search(follow, plan)
        assert [word for word, _ in found] == [word for word, _ in expected], plan
        assert [s for _, s in found] == pytest.approx([s for _, s in expected], abs=1e-6)


@pytest.mark.parametrize("diversity", [0.5, 4.0])
def test_costs_stay_in_the_score_and_closing_is_free(diversity: float) -> None:
    """Two words of the same length part at one token; each group takes one of them."""
    facts, topic = {(0, 2, 5), (0, 2, 4)}, worlds.entity(0)
    legal, constraint = opened(facts, [topic], PathLimits(hops=1), "byte-level")
    assert constraint is not None
    plan = BeamPlan(beams=2, groups=2, diversity=diversity)
    (first, free), (second, dear) = searched(CONSTANT, constraint, plan)
    assert len(first) == len(second) and first < second
    scores = by_hand(legal)
    taken = sum(a == b for a, b in zip(first[:-1], second[:-1], strict=True))
    assert 0 < taken < len(first) - 1
    assert free == pytest.approx(scores[first])
    assert dear == pytest.approx(scores[second] - diversity * taken)


def test_groups_that_find_the_same_return_it_once_with_its_best_score() -> None:
    facts, topic = {(0, 2, 5)}, worlds.entity(0)
    _, constraint = opened(facts, [topic], PathLimits(hops=1), "byte-level")
    assert constraint is not None
    ((_, score),) = searched(CONSTANT, constraint, BeamPlan(beams=6, groups=3, diversity=0.5))
    assert score == 0.0


def test_one_group_is_plain_beam_search() -> None:
    """Whatever the diversity: there is no earlier group."""
    facts, topic = {(h, 2, t) for h in range(4) for t in range(4)}, worlds.entity(0)
    _, constraint = opened(facts, [topic], PathLimits(hops=2), "byte-level")
    assert constraint is not None
    model = MODELS["byte-level"]
    plain = searched(model, constraint, BeamPlan(beams=6, diversity=0.0))
    assert searched(model, constraint, BeamPlan(beams=6, diversity=3.0)) == plain


@pytest.mark.parametrize(("beams", "groups"), [(10, 3), (2, 5), (0, 1), (4, 0), (-2, -1)])
def test_groups_must_divide_the_beams(beams: int, groups: int) -> None:
    with pytest.raises(ConstraintError, match="do not divide"):
        BeamPlan(beams=beams, groups=groups)
