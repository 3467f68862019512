"""What the words of a question say for an answer: reading, weighing, and damaged files."""

import json
import math
from pathlib import Path

import pytest
from groundwalk.agent.errors import ModelError
from groundwalk.agent.llm.bag_of_words import SCOPE_FILE, Scope, read_scope, tempered, write_scope
from hypothesis import given
from hypothesis import strategies as st

SCOPE = Scope(0.5, {"capital": 2.0, "zone": -3.0, "time zone": -1.0})
SHARE = st.floats(0, 1)


def test_words_and_pairs_add_up_and_unknown_ones_say_nothing() -> None:
    def logit(text: str) -> float:
        own = SCOPE.within(text)
        return math.log(own / (1 - own))

    assert logit("the capital of [country]") == pytest.approx(2.5)
    assert logit("time zone in [country]?") == pytest.approx(-3.5)
    assert logit("zone of time") == pytest.approx(-2.5)
    assert logit("qwerty") == pytest.approx(0.5)


@given(st.text(), st.floats(-1e6, 1e6))
def test_it_is_a_probability_whatever_is_asked(text: str, bias: float) -> None:
    assert 0.0 <= Scope(bias, {"a": -1e9, "b": 1e9}).within(text) <= 1.0


@given(SHARE, SHARE, SHARE)
def test_the_surer_either_is_the_surer_both_are(first: float, second: float, within: float) -> None:
    low, high = sorted((first, second))
    assert 0.0 <= tempered(low, within) <= tempered(high, within) <= 1.0
    assert tempered(within, low) <= tempered(within, high)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    assert read_scope(tmp_path) is None and read_scope(None) is None
    write_scope(tmp_path, SCOPE)
    assert read_scope(tmp_path) == SCOPE


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"bias": 1, "weights": []}', "\x00"])
def test_a_damaged_file_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / SCOPE_FILE).write_text(content)
    with pytest.raises(ModelError, match=SCOPE_FILE):
        read_scope(tmp_path)


def test_weights_that_are_no_numbers(tmp_path: Path) -> None:
    (tmp_path / SCOPE_FILE).write_text(json.dumps({"bias": 0, "weights": {"a": "b"}}))
    with pytest.raises(ModelError):
        read_scope(tmp_path)
