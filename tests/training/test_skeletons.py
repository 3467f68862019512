"""Skeletons: how a line is read, what is wrong with one, and those of the world graph."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.agent.query.actions import Action, spell
from groundwalk.agent.query.binding import Mention
from groundwalk.agent.query.schema import GraphSchema
from groundwalk.training.material import default_skeletons, query_questioner
from groundwalk.training.queries.skeletons import (
    VALUES,
    Before,
    Skeleton,
    Slot,
    chosen,
    read_skeletons,
    slots_of,
)

from .asking import WORLD, asking, fault

FOLDER = default_skeletons(WORLD)
assert FOLDER is not None
FILES = sorted(FOLDER.glob("*.txt"))
RIVERS = (
    "which rivers of {0:country/continent} are longer than {1:number} (km|kilometres) "
    "=> <0><STEP>^flows through<WHERE>length in kilometres<GREATER><1>"
)
TRIES = 200
"""Draws of a slot: few countries have the regions that are asked for."""


def written(folder: Path, *lines: str) -> Path:
    """A file of skeletons."""
    file = folder / "own.txt"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_a_line_is_a_question_and_its_query(tmp_path: Path) -> None:
    own, nth = read_skeletons(
        written(
            tmp_path,
            "# rivers",
            "",
            RIVERS,
            "{nth} longest river => <CLASS>river<MOST>length in kilometres<PLACE><nth>",
        )
    )
    assert own.slots == (Slot(0, ("country", "continent")), Slot(1, ("number",)))
    assert (own.line, nth.line) == (3, 4) and own.before is None and own.ranked is None
    assert spell(own.actions, {}) == f"<QUERY>{RIVERS.partition('=> ')[2]}</QUERY>"
    assert nth.ranked == 3 and nth.actions[3] == Action("pointer", number=2)
    asked = {own.worded(Random(seed)) for seed in range(30)}
    assert {text.rpartition(" ")[2] for text in asked} == {"km", "kilometres"}
    assert all("(" not in text and "|" not in text for text in asked)
    assert [found[0] for found in slots_of(own.text)] == ["{0:country/continent}", "{1:number}"]


def test_choices_nest_and_may_be_nothing() -> None:
    found = {chosen("a (b (c|d)|)  e", Random(seed)) for seed in range(40)}
    assert found == {"a b c e", "a b d e", "a e"}


def test_what_came_before_stands_before_the_bars(tmp_path: Path) -> None:
    lines = (
        "country > city* || how many => <ANSWERS><COUNT>",
        "river || how long is it => <TOPICS><STEP>length in kilometres",
        '"who borders {0:country}" || and {1:country} => <1><STEP>borders',
    )
    found = [own.before for own in read_skeletons(written(tmp_path, *lines))]
    assert found == [
        Before("country", "city", many=True),
        Before("river"),
        Before(question="who borders {0:country}"),
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("how many rivers", "no =>"),
        ("rivers => <NOTHING>", "no action"),
        ("rivers => <CLASS>river<STEP", "sequence of markers"),
        ("rivers of {1:country} => <1>", "from 0"),
        ("{0:country} and {0:river} => <0>", "two kinds"),
        ("rivers of {country} => <CLASS>river", "opens no slot"),
        ("the {nth} river => <CLASS>river", "in neither"),
        ("rivers => <CLASS>river<MOST>length<PLACE><nth>", "in neither"),
        ("a > b > c || how many => <ANSWERS><COUNT>", "TOPICS > ANSWERS"),
    ],
)
def test_a_bad_line_is_told_with_its_file_and_number(tmp_path: Path, line: str, said: str) -> None:
    file = written(tmp_path, "# one", RIVERS, line)
    with pytest.raises(InputError) as raised:
        read_skeletons(file)
    assert raised.value.message.startswith(f"{file}:3: ") and said in raised.value.message


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    file = tmp_path / "bytes.txt"
    file.write_bytes(b"\xff\xfe\xff")
    for path in (file, tmp_path / "none.txt"):
        with pytest.raises(InputError, match="cannot be read"):
            read_skeletons(path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{0:country} => <0><STEP>likes", "relation 'likes'"),
        ("{0:planet} => <0>", "class 'planet'"),
        ("cities => <CLASS>village", "class 'village'"),
        ("planet > city || how many => <ANSWERS><COUNT>", "class 'planet'"),
    ],
)
def test_what_the_graph_has_no_name_for_is_told(tmp_path: Path, line: str, said: str) -> None:
    world = asking(WORLD)
    file = written(tmp_path, "all of {0:continent} => <0><STEP>^continent", line)
    with pytest.raises(InputError) as raised:
        query_questioner(world.kg, world.questioner.plain, tmp_path)
    assert raised.value.message == f"{file}:2: the graph has no {said}"


# Those of the world graph


def test_no_question_of_the_world_is_there_twice() -> None:
    own = [(skeleton.before, skeleton.text) for file in FILES for skeleton in read_skeletons(file)]
    assert len(own) > 1500
    assert [text for (_, text), count in Counter(own).items() if count > 1] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_query_is_legal_over_the_world(file: Path) -> None:
    rng = Random(0)
    wrong = [
        f"{file.name}:{own.line}: {told}"
        for own in read_skeletons(file)
        if (told := why_not(own, rng))
    ]
    assert wrong == []


def why_not(skeleton: Skeleton, rng: Random) -> str:
    """What is wrong with a skeleton over the world graph; empty for nothing."""
    world = asking(WORLD)
    names = dict(zip(world.graph.labels, world.graph.relations, strict=True))
    classes, kinds = world.questioner.terms, world.graph.nodes
    for own in skeleton.actions:
        known = classes if own.kind == "class" else names
        if own.name and own.name not in known:
            return f"there is no {own.name}"
    told = skeleton.before or Before()
    slots = [kind for slot in skeleton.slots for kind in slot.kinds]
    if unknown := {*slots, *filter(None, (told.topics, told.answers))} - VALUES - {*kinds}:
        return f"there is no class {unknown}"
    pointed = {own.number for own in skeleton.actions}
    if unused := {slot.number for slot in skeleton.slots} - pointed:
        if not told.question:
            return f"the query says nothing of {unused}"
    actions = tuple(
        own._replace(name=(classes if own.kind == "class" else names)[own.name])
        if own.name
        else own
        for own in skeleton.actions
    )
    wrong = ""
    for _ in range(TRIES):
        mentions = [mention(slot, rng) for slot in skeleton.slots]
        earlier = world.earlier(told.topics, told.answers)
        wrong = fault(actions, GraphSchema(world.tables, mentions, earlier=earlier))
        if not wrong:
            return ""
    return wrong


def mention(slot: Slot, rng: Random) -> Mention:
    """Something that the slot may be."""
    kind = rng.choice(slot.kinds)
    if kind in VALUES:
        return Mention("1000" if kind == "number" else "a")
    graph = asking(WORLD).graph
    node = rng.choice(graph.nodes[kind])
    return Mention(graph.names[node], graph.terms[node])
