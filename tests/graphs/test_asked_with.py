"""The options that a method is asked with: those that its paper sets, and those that it uses."""

from pathlib import Path

import pytest
from groundwalk.agent.errors import DatasetError, InputError
from groundwalk.agent.options import Options, read_options
from groundwalk.graphs import METHODS
from groundwalk.graphs.method import ALL, COMMON
from groundwalk.graphs.methods import method_options, unused


def test_what_is_set_and_not_used_is_told() -> None:
    options = read_options(["planning=random", "free=3", "depth=4"], Options(beams=7, hops=2))
    assert unused("tot", options) == ["tot does not use beams, planning, free"]
    assert unused("rog", options) == ["rog does not use depth, free"]
    assert unused("gcr", Options(beams=7, on_ambiguous="best")) == []


def test_what_is_set_to_what_it_is_anyway_is_told_too() -> None:
    assert unused("tot", Options(), {"free", "width"}) == ["tot does not use free"]


@pytest.mark.parametrize("method", METHODS)
def test_a_paper_sets_what_its_method_uses(method: str) -> None:
    if method != "paths":
        assert unused(method, method_options(method, Options(), paper=True)) == []
    assert METHODS[method].paper.keys() <= METHODS[method].uses | COMMON
    assert METHODS[method].uses <= ALL - COMMON


def test_the_paper_leaves_what_is_set() -> None:
    options = method_options("tog", Options(), paper=True, user_set={"sample"})
    assert (options.sample, options.revisits) == (20, "walk")
    assert method_options("tog", Options()) == Options()


def test_options_that_a_method_cannot_be_used_with_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a file of what a retriever found") as caught:
        method_options("paths", Options())
    assert "eval run --dataset world" in caught.value.hint
    with pytest.raises(DatasetError):
        method_options("paths", Options(retrieved=str(tmp_path / "absent.jsonl")))
    with pytest.raises(InputError, match="no method 'pats'"):
        method_options("pats", Options())


@pytest.mark.parametrize(("name", "most"), [("beams", 32), ("hops", 8)])
def test_limits_hold_however_an_option_is_set(name: str, most: int) -> None:
    assert getattr(read_options([f"{name}={most}"]), name) == most
    assert getattr(read_options([f"{name}=none"]), name) is None
    with pytest.raises(InputError, match=f"the option {name} cannot be"):
        read_options([f"{name}={most + 1}"])
