"""The language of reasoning paths is the set of all legal paths."""

import pytest
from groundwalk.agent.decoding.paths import PathLimits, ReasoningPaths
from groundwalk.agent.decoding.units import wire_tokens
from groundwalk.agent.decoding.wire import PATH
from groundwalk.agent.errors import NoPathError
from hypothesis import given, settings
from hypothesis import strategies as st

from . import oracle, worlds
from .language import TOKENIZERS, facts, language, opened, topics

limits = st.builds(
    PathLimits,
    hops=st.integers(1, 2),
    inverse=st.booleans(),
    revisits=st.sampled_from(["walk", "no-topic", "simple"]),
)


@settings(max_examples=40, deadline=None)
@given(facts=facts(12), limits=limits, family=st.sampled_from(sorted(TOKENIZERS)), data=st.data())
def test_words_are_all_legal_paths(
    facts: set[worlds.Fact], limits: PathLimits, family: str, data: st.DataObject
) -> None:
    tokenizer = TOKENIZERS[family]
    tags = wire_tokens(tokenizer, PATH)
    with opened(facts, tokenizer) as graph:
        some = topics(data.draw, facts)
        expected = oracle.words(graph.kg, tokenizer, graph.index, some, limits)
        units = oracle.topic_units(graph.kg, tokenizer, graph.index, some)
        if not expected:
            with pytest.raises(NoPathError):
                ReasoningPaths(graph.index, units, tags, limits)
            return
        constraint = ReasoningPaths(graph.index, units, tags, limits)
        words = language(constraint)
        assert {word: constraint.path(state) for word, state in words.items()} == expected
