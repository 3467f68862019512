from random import Random

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.training.wording.template import Filling, Phrase, fill, mentions_slot

ONE = Filling(Phrase("France"), False, "country")
MANY = Filling(Phrase("its neighbours", True), True, "countries")


@pytest.mark.parametrize(
    ("template", "one", "many"),
    [
        ("the capital of {x}", "the capital of France", "the capital of its neighbours"),
        ("{x's} flag", "France's flag", "its neighbours' flag"),
        ("which {t} {borders//border} {x}", "which country borders France",
         "which countries border its neighbours"),
        ("what {does/do} {x} use", "what does France use", "what do its neighbours use"),
        ("( the|the ) ((big) |big )city", "the big city", "the big city"),
    ],
)  # fmt: skip
def test_slots_and_agreement(template: str, one: str, many: str) -> None:
    assert fill(template, ONE, Random(0)) == one
    assert fill(template, MANY, Random(0)) == many


def test_a_choice_gives_each_alternative() -> None:
    rng = Random(1)
    assert {fill("a (b|c|) {x}", ONE, rng) for _ in range(60)} == {
        "a b France",
        "a c France",
        "a France",
    }


@pytest.mark.parametrize("template", ["(a|b", "a)", "{x", "{what}", "{a/b/c}"])
def test_a_malformed_template_is_an_input_error(template: str) -> None:
    with pytest.raises(InputError):
        fill(template, ONE, Random(0))


def test_slots_are_found_in_every_alternative() -> None:
    assert mentions_slot("(in|of) {x}", "x")
    assert mentions_slot("({x's}|of {x}) flag", "x's")
    assert not mentions_slot("the flag of {x}", "x's")
