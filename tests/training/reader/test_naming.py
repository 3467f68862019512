"""Labels by other names: what a question asks is asked by each of them."""

from random import Random

import pytest
from groundwalk.agent.reader.inputs import CLASS, FORWARD, INVERSE, Label
from groundwalk.agent.reader.lexicon import MOST_LABEL_WORDS, label_words
from groundwalk.training.reader.naming import OtherNames
from groundwalk.training.reader.pools import PLAIN, Drawing, Pool, pools_of
from groundwalk.training.reader.sources import Hop, SchemaLabels

LONG = " ".join(["very"] * (MOST_LABEL_WORDS - 1)) + " teacher"
HOPS = (
    Hop("teacher", "person", "person"),
    Hop("taught_by", "person", "person"),
    Hop("memberOf", "person", "club"),
    Hop("height", "person", "number"),
    Hop("insurance", "person", "boolean"),
    Hop("owns teacher", "person", "person"),
    Hop("consists of", "club", "person"),
    Hop("works at", "person", "club"),
    Hop("home town", "person"),
    Hop(LONG, "person", "person"),
)
NAMES = OtherNames(nouns={"teacher", "member", "height", "insurance", "town", "home", "at", "very"})
TURNED = Drawing(converse=1.0, renamed=0.0, affixed=0.0)
CONVERSES = {"teacher": "teacher of", "taught_by": "taught", "memberOf": "member"}
NEAR = {
    "works": ["worker", "toils", "labours", "slaves"],
    "town": ["city"],
    "home": ["houses"],
    "at": ["on"],
}


@pytest.fixture
def pool() -> Pool:
    return pools_of([], {"school": SchemaLabels(HOPS, ("person", "club"))})["school"]


def labels() -> list[Label]:
    both = [Label(hop.label, way, hop.label) for hop in HOPS for way in (FORWARD, INVERSE)]
    return [*both, Label("person", CLASS, "person")]


def renamed(names: OtherNames, pool: Pool | None, drawing: Drawing, seed: int) -> list[Label]:
    return names.renamed(labels(), pool, drawing, Random(seed))


def test_what_is_turned_round_is_followed_the_other_way(pool: Pool) -> None:
    turned = set[str]()
    for seed in range(20):
        after = renamed(NAMES, pool, TURNED, seed)
        for one, other in zip(labels(), after, strict=True):
            assert (one.name, one.tail) == (other.name, other.tail)
            if other.way != one.way:
                assert other.called == CONVERSES[one.name]
                turned.add(one.name)
            else:
                assert other == one
        assert len({(label.name, label.way) for label in after}) == len(after)
    assert turned == {*CONVERSES}


def test_half_is_turned_and_nothing_that_is_fixed(pool: Pool) -> None:
    count, many = 0, 400
    for seed in range(many):
        after = NAMES.renamed(labels(), pool, TURNED, Random(seed), {"memberOf"})
        ways = {label.called for label in after}
        assert "member" not in ways
        count += "taught" in ways
    assert 0.4 < count / many < 0.6


def test_what_was_turned_gets_no_word_that_could_turn_it_back(pool: Pool) -> None:
    drawing = Drawing(converse=1.0, renamed=0.0, affixed=1.0)
    called = {label.called for seed in range(60) for label in renamed(NAMES, pool, drawing, seed)}
    assert "taught" in called and "has works at" in called
    assert (
        not {name for name in called if name.startswith("taught ")}
        - {"taught_by"}
        - {
            f"taught by {after}"
            for after in ("in", "at", "on", "for", "to", "from", "name", "value", "info", "is")
        }
    )


def test_a_near_word_stands_in_the_place_of_one_of_its_kind() -> None:
    names = OtherNames(near=NEAR, nouns={"worker", "town", "city", "home", "person"})
    drawing = Drawing(renamed=1.0, near=True, affixed=0.0)
    seen = {label.called for seed in range(60) for label in renamed(names, None, drawing, seed)}
    assert seen - {hop.label for hop in HOPS} == {"toils at", "labours at", "home city", "person"}


def test_a_class_keeps_its_words_and_so_does_what_is_not_to_have_near_ones() -> None:
    near = {"person": ["human"], "works": ["toils"]}
    for names_near, expected in ((True, {"toils at"}), (False, set[str]())):
        drawing = Drawing(renamed=1.0, near=names_near, affixed=0.0)
        many = [renamed(OtherNames(near=near), None, drawing, seed) for seed in range(20)]
        called = {label.called for renaming in many for label in renaming}
        assert called - {label.called for label in labels()} == expected


def test_no_two_labels_come_to_have_the_same_words(pool: Pool) -> None:
    names = OtherNames(
        {("works", "at"): [("member", "of")]},
        {"teacher": ["master", "coach"], "taught": ["coached"], "home": ["height"]},
        {*NAMES.nouns, "master", "coach", "taught"},
    )
    hops = (*HOPS, Hop("taught", "person", "person"), Hop("teacherOf", "person", "person"))
    several = pools_of([], {"school": SchemaLabels(hops, ())})["school"]
    every = [Label(hop.label, way, hop.label) for hop in hops for way in (FORWARD, INVERSE)]
    drawing = Drawing(renamed=1.0, near=True, converse=1.0, affixed=0.5)
    for seed in range(300):
        after = names.renamed(every, several, drawing, Random(seed))
        distinct = {(label.way, label_words(label.called)) for label in after}
        assert len(distinct) == len(after)


def test_plain_labels_keep_their_names(pool: Pool) -> None:
    names = OtherNames({("teacher",): [("tutor",)]}, {"teacher": ["coach"]}, {"teacher", "coach"})
    assert all(renamed(names, pool, PLAIN, seed) == labels() for seed in range(20))


def test_every_new_word_is_known_beforehand(pool: Pool) -> None:
    names = OtherNames({("works", "at"): [("employed", "by")]}, NEAR, NAMES.nouns)
    drawing = Drawing(renamed=1.0, near=True, converse=1.0, affixed=1.0)
    known = {*names.words(), *(word for label in labels() for word in label_words(label.name))}
    for seed in range(40):
        for label in renamed(names, pool, drawing, seed):
            assert {*label_words(label.called)} <= known
