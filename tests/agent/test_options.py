"""Options from text."""

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.agent.options import Options, names_set, paper_options, read_options


def test_texts_become_values_of_the_right_type() -> None:
    read = read_options(["width=5", "planning=none", "depth=none", "directed=false", "enough=0.5"])
    assert (read.width, read.planning, read.depth, read.directed) == (5, "none", None, False)
    assert read.enough == 0.5


def test_what_is_not_set_stays() -> None:
    assert read_options(["max-degree=7"], Options(hops=3)) == Options(hops=3, max_degree=7)


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ("width", "NAME=VALUE"),
        ("witdh=3", "no option 'witdh'"),
        ("width=wide", "cannot be 'wide'"),
        ("planning=psychic", "cannot be 'psychic'"),
        ("width=", "cannot be ''"),
    ],
)
def test_what_cannot_be_is_said(pair: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        read_options([pair])
    assert error.value.hint


def test_a_near_name_is_suggested() -> None:
    with pytest.raises(InputError) as error:
        read_options(["witdh=3"])
    assert "width" in error.value.hint


def test_a_papers_settings_give_way_to_the_users() -> None:
    paper = {"beams": 3, "revisits": "walk"}
    assert paper_options(Options(), paper) == Options(beams=3, revisits="walk")
    assert paper_options(Options(beams=7), paper) == Options(beams=7, revisits="walk")


def test_what_is_set_to_the_default_is_set() -> None:
    pairs = ["sample=20", "max-degree=500", "hops=none"]
    paper = {"sample": 5, "max_degree": 9, "hops": 2, "width": 7}
    kept = names_set(pairs)
    assert paper_options(read_options(pairs), paper, kept) == Options(width=7)
    assert paper_options(Options(beams=10, hops=2), {"beams": 3, "hops": 4}).hops == 2


@pytest.mark.parametrize("pair", ["diversity=inf", "diversity=nan", "diversity=-1", "groups=0"])
def test_groups_that_cannot_be_are_refused(pair: str) -> None:
    with pytest.raises(InputError, match="cannot be"):
        read_options([pair])


@pytest.mark.parametrize("pair", ["width=0", "depth=-1", "enough=1.5", "seed=-1", "beams=0"])
def test_values_out_of_range_are_refused(pair: str) -> None:
    with pytest.raises(InputError, match="cannot be"):
        read_options([pair])
