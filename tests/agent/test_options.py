"""Options from text and from Python."""

import pickle
from copy import deepcopy
from dataclasses import fields, replace
from typing import Any

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
        ("width=wide", "cannot be 'wide': it is a whole number of at least 1"),
        ("planning=psychic", "cannot be 'psychic': it is one of model, random, none"),
        ("width=", "cannot be '': it is a whole number"),
    ],
)
def test_what_cannot_be_is_said(pair: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_options([pair])


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


BEAMS = "it is a whole number of at least 1 and at most 32, or none"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"beams": 99}, f"the option beams cannot be 99: {BEAMS}"),
        ({"beams": "many"}, f"the option beams cannot be 'many': {BEAMS}"),
        ({"beams": "5"}, f"the option beams cannot be '5': {BEAMS}"),
        ({"beams": True}, f"the option beams cannot be True: {BEAMS}"),
        ({"beams": 2.0}, f"the option beams cannot be 2.0: {BEAMS}"),
        ({"width": None}, "the option width cannot be None: it is a whole number of at least 1"),
        (
            {"confidence": 2},
            "the option confidence cannot be 2: "
            "it is a number of at least 0 and at most 1, or none",
        ),
        ({"temperature": 0}, "the option temperature cannot be 0: it is a number of more than 0"),
        ({"directed": 1}, "the option directed cannot be 1: it is true or false"),
        ({"plans": 3}, "the option plans cannot be 3: it is a text"),
        (
            {"on_ambiguous": "guess"},
            "the option on_ambiguous cannot be 'guess': it is one of ask, best, error",
        ),
        ({"beems": 3}, "there is no option 'beems'"),
    ],
)
def test_options_are_checked_where_they_are_made(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        Options(**values)
    assert error.value.message == message


def test_a_value_is_named_in_a_few_characters_without_control_codes() -> None:
    wrong: Any = "\x1b[2J" * 9_999
    with pytest.raises(InputError) as error:
        Options(seed=wrong)
    assert len(error.value.message) < 120 and "\x1b" not in error.value.message


def test_options_are_checked_where_they_are_changed() -> None:
    options = Options(beams=3)
    with pytest.raises(InputError, match="beams cannot be 33"):
        replace(options, beams=33)
    with pytest.raises(InputError, match="beams cannot be 0"):
        options.beams = 0
    assert options == Options(beams=3)


def test_every_option_says_what_it_may_be() -> None:
    for option in fields(Options):
        wrong: dict[str, Any] = {option.name: [object()]}
        with pytest.raises(InputError, match=f"the option {option.name} cannot be .*: it is "):
            Options(**wrong)


def test_options_are_copied_and_pickled() -> None:
    options = Options(beams=3, temperature=1)
    assert deepcopy(options) == pickle.loads(pickle.dumps(options)) == options
