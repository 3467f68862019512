"""The tree and the Mermaid flowchart."""

import re
from typing import Any

import pytest
from groundwalk.agent.evidence import explain
from groundwalk.agent.evidence.reply import understood
from groundwalk.agent.evidence.text import chain_trees

from .replies import HOSTILE, answer, border, hub, named, reply, step, unread

_TEXT = r'"(?:[^"\\<>{}`%|;#]|#\d+;)*"'
_LINE = re.compile(
    rf"flowchart LR|    %%(?: |[^%{{}}])*|    n\d+(?:\(\[{_TEXT}\]\)|\[{_TEXT}\])"
    rf"|    n\d+ (?:-->|-\.->)\|{_TEXT}\| n\d+"
    rf"|    q\d+\[{_TEXT}\]|    q\d+(?: ~~~ q\d+)+"
    r"|    classDef answer stroke-width:3px|    class n\d+(?:,n\d+)* answer"
)
"""All that a flowchart of ours may consist of."""


def arrows(text: str) -> set[tuple[str, str, str]]:
    """The arrows of a flowchart by the names at their ends."""
    names = dict(re.findall(r'^    (n\d+)\(?\["(.*?)"\]', text, re.M))
    found = re.findall(r'^    (n\d+) -.*\|"(.*?)"\| (n\d+)$', text, re.M)
    return {(names[head], relation, names[tail]) for head, relation, tail in found}


def test_the_tree_reads_as_the_walk_goes() -> None:
    told = border()
    told["notes"] = ["not sure"]
    assert explain("tree", told).splitlines() == [
        "Who is it?",
        "Spain",
        "",
        "Lisbon",
        "└── ✓ ← capital ─ Portugal",
        "    └── ✓ ─ borders → Spain",
        "",
        "not sure",
    ]


def test_the_reading_stands_right_under_the_question() -> None:
    told = unread()
    assert explain("tree", told).splitlines()[:4] == [
        "Which neighbours hate it?",
        "read as: borders of Portugal · confidence 0.74",
        'not understood: "hate"',
        "Spain",
    ]
    assert "not understood" not in explain("tree", told).partition("\nSpain\n")[2]
    told["reading"], told["notes"] = HOSTILE[3], [f"not understood: {HOSTILE[4]}"]
    text = explain("mermaid", told)
    assert all(_LINE.fullmatch(line) for line in text.splitlines()), text
    assert sum(line.startswith("    q") for line in text.splitlines()) == 4


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({"status": "unsure"}, ""),
        ({"reasoner": "llm"}, "read as: borders of Portugal"),
        ({"readings": [], "query": {"start": [0]}}, "read as: borders of Portugal"),
        ({"reading": ""}, "confidence 0.74"),
    ],
)
def test_confidence_is_told_of_what_was_weighed(more: dict[str, Any], line: str) -> None:
    told = unread()
    told.update(more)  # pyright: ignore[reportArgumentType, reportCallIssue]
    assert understood(told) == [*filter(None, [line]), 'not understood: "hate"']


def test_a_chain_that_is_no_walk_grows_where_it_touches() -> None:
    ada, ben, oslo, norway = map(named, ("Ada", "Ben", "Oslo", "Norway"))
    chain = [
        step(ada, named("born in"), oslo),
        step(ben, named("lives in"), oslo),
        step(oslo, named("country"), norway),
        step(ada, named("likes"), ben),
    ]
    told = reply([answer(norway, chain, form="chain")], ada)
    assert explain("tree", told).splitlines()[3:] == [
        "Ada",
        "├── ✓ ─ born in → Oslo",
        "│   ├── ✓ ← lives in ─ Ben",
        "│   └── ✓ ─ country → Norway",
        "└── ✓ ─ likes → Ben",
    ]


def test_a_place_shows_so_many_branches_and_counts_the_rest() -> None:
    told = hub(30)
    (root,) = chain_trees(told["answers"], told["topics"], 20)
    assert (len(root.branches), root.hidden) == (20, 10)
    assert len(explain("tree", told).splitlines()) == 3 + 1 + 30


def test_arrows_run_as_the_graph_holds_the_triples() -> None:
    text = explain("mermaid", border())
    assert arrows(text) == {
        ("Portugal", "✓ capital", "Lisbon"),
        ("Portugal", "✓ borders", "Spain"),
    }
    assert 'n0(["Lisbon"])' in text


def test_every_answer_of_a_hub_is_drawn() -> None:
    assert len(arrows(explain("mermaid", hub()))) == 50


@pytest.mark.parametrize("label", HOSTILE)
def test_names_are_no_syntax(label: str) -> None:
    told, calm = border(label, label), border()
    told["question"] = label
    text = explain("mermaid", told)
    assert all(_LINE.fullmatch(line) for line in text.splitlines()), text
    assert len(text.splitlines()) == len(explain("mermaid", calm).splitlines())
    told["notes"] = [label]
    calm["notes"] = ["calm"]
    lines = explain("tree", told).splitlines()
    assert len(lines) == len(explain("tree", calm).splitlines())
    assert all(line.isprintable() for line in lines)


def test_nothing_to_explain() -> None:
    told = reply([], status="unchecked")
    assert "could not be asked" in explain("tree", told)
    text = explain("mermaid", told)
    assert all(_LINE.fullmatch(line) for line in text.splitlines()), text
    assert "could not be asked" in text


def test_nodes_are_numbered_in_the_order_of_the_chains() -> None:
    union, borders = named("Union"), named("borders")
    topics = [named(f"Topic {number}") for number in range(9)]
    answers = [answer(union, [step(topic, borders, union)]) for topic in topics]
    lines = explain("mermaid", reply(answers, *topics)).splitlines()
    assert [line.split('"')[1] for line in lines if "([" in line] == [t["label"] for t in topics]


def test_what_a_walk_turns_aside_to_stands_beside_the_way() -> None:
    heart, node, part, body = (named(name) for name in ("Heart", "r", "part of", "Body"))
    chain = [
        step(heart, named("subClassOf"), node),
        step(node, named("onProperty"), part),
        step(node, named("onProperty"), part, inverse=True),
        step(node, named("someValuesFrom"), body),
    ]
    (root,) = chain_trees([answer(body, chain), answer(part, [*chain[:2]])], [heart])
    (below,) = root.branches.values()
    assert [branch.label for branch in below.branches.values()] == ["part of", "Body"]
    assert not any(branch.branches for branch in below.branches.values())
    (turned,) = chain_trees([answer(node, chain[:3])], [heart])
    for label in ("r", "part of", "r"):
        (turned,) = turned.branches.values()
        assert turned.label == label
