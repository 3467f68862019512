"""Questions in the very words of a label."""

from groundwalk.training.reader.examples import Example
from groundwalk.training.reader.labelled import LABELLED, labelled
from groundwalk.training.reader.sources import Hop, SchemaLabels

SCHEMAS = {
    "states": SchemaLabels(
        (Hop("capital", "country", "city"), Hop("population", "city", "number"))
    ),
    "ships": SchemaLabels((Hop("builtBy", "ship", "yard"),)),
    "empty": SchemaLabels(),
}


def made(count: int, seed: int = 0) -> list[Example]:
    return labelled(SCHEMAS, count, seed)


def text(own: Example) -> str:
    return " ".join("{x}" if word.mention is not None else word.text for word in own.words)


def asked(own: Example) -> tuple[str, str, bool]:
    (_, hop, _) = own.actions
    return text(own), hop.name, hop.inverse


def test_a_label_is_asked_for_at_either_end() -> None:
    several = set(map(asked, made(3_000)))
    assert ("what is the capital of {x}", "capital", False) in several
    assert ("what has {x} as its capital", "capital", True) in several
    assert ("which country have {x} as capital", "capital", True) in several
    assert ("what is {x} built by", "builtBy", False) in several
    assert ("what ship were built by {x}", "builtBy", True) in several


def test_every_question_has_the_words_of_its_label() -> None:
    for own in made(500):
        (_, hop, _) = own.actions
        assert own.source == LABELLED
        assert {"capital": "capital", "population": "population", "builtBy": "built by"}[
            hop.name
        ] in text(own)


def test_nothing_is_asked_of_what_has_a_value() -> None:
    assert not any(asked(own)[1:] == ("population", True) for own in made(2_000))


def test_mentions_are_of_the_class_at_which_a_relation_begins_or_of_none() -> None:
    begins = {("capital", False): "country", ("capital", True): "city"}
    for own in made(500):
        (thing,) = (word for word in own.words if word.mention is not None)
        key = asked(own)[1:]
        assert thing.kind in ("", begins.get(key, thing.kind))


def test_the_same_seed_makes_the_same_questions() -> None:
    assert made(50, seed=3) == made(50, seed=3) != made(50, seed=4)


def test_schemas_without_relations_are_asked_nothing() -> None:
    assert labelled({"empty": SchemaLabels()}, 10, 0) == []
