"""The tree and the Mermaid flowchart."""

import re

import pytest
from groundwalk.agent.evidence import explain
from groundwalk.agent.evidence.text import chain_trees

from .replies import HOSTILE, answer, border, hub, named, reply, step

_TEXT = r'"(?:[^"\\<>{}`%|;#]|#\d+;)*"'
_LINE = re.compile(
    rf"flowchart LR|    %%(?: |[^%{{}}])*|    n\d+(?:\(\[{_TEXT}\]\)|\[{_TEXT}\])"
    rf"|    n\d+ (?:-->|-\.->)\|{_TEXT}\| n\d+"
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
