"""What operations come to against naive sets and values, with proofs that the store holds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from groundwalk.agent.conversation.masking import Masked
from groundwalk.agent.conversation.phrases import operation
from groundwalk.agent.conversation.turns import turn_of
from groundwalk.agent.kg import KnowledgeGraph, Term, Triple, open_kg
from groundwalk.agent.kg.profile import GENERIC
from groundwalk.agent.nodes.compute import compute
from groundwalk.agent.nodes.computed import Computed
from groundwalk.agent.state import Answer, Entity, MentionRecord, Named, Part, State, StepRecord
from hypothesis import given, settings
from hypothesis import strategies as st

NOTHING = Masked("", ())
TOPICS = ("t0", "t1", "t2")
NAMES = "abcdef"
SIZES = {"a": (3,), "b": (7, 1), "c": (7,), "d": (), "e": (5,), "f": ()}


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    """Every topic is near every thing; some things have sizes."""
    folder = tmp_path_factory.mktemp("kg")
    lines = [f"<urn:x:{t}> <urn:x:near> <urn:x:{n}> ." for t in TOPICS for n in NAMES]
    lines += [f"<urn:x:{n}> <urn:x:size> {v} ." for n, own in SIZES.items() for v in own]
    (folder / "kg.ttl").write_text("\n".join(lines), encoding="utf-8")
    opened = open_kg(str(folder / "kg.ttl"), cache=folder / "cache")
    yield opened
    opened.close()


def iri(name: str) -> Term:
    return f"<urn:x:{name}>"


def named(name: str) -> Named:
    return Named(term=iri(name), label=name)


def entity(name: str) -> Entity:
    return Entity(**named(name), kind="", description="", score=1.0)


def mention(name: str) -> MentionRecord:
    return MentionRecord(text=name, start=0, end=0, ambiguous=False, candidates=[entity(name)])


def part(topic: str, names: Sequence[str], confidence: float = 1.0) -> Part:
    answers = list[Answer]()
    for place, name in enumerate(names):
        step = StepRecord(
            head=named(topic),
            relation=named("near"),
            tail=named(name),
            inverse=False,
            verdict="supported",
        )
        answers.append(Answer(**named(name), score=1.0 - place / 10, chains=[[step]]))
    return Part(
        question=f"near {topic}?",
        mentions=[],
        status="answered" if names else "abstained",
        topics=[entity(topic)],
        answers=answers,
        confidence=confidence,
        notes=[],
    )


def labels(found: Computed) -> list[str]:
    return [answer["label"] for answer in found.answers]


def verified(kg: KnowledgeGraph, found: Computed) -> bool:
    steps = [s for a in found.answers for chain in a["chains"] for s in chain]
    steps += found.result["triples"] if found.result else []
    triples = [Triple(*(s[k]["term"] for k in ("head", "relation", "tail"))) for s in steps]
    return all(s["verdict"] == "supported" for s in steps) and all(kg.store.holds(triples))


SETS = st.lists(
    st.lists(st.sampled_from(NAMES), unique=True, min_size=1), min_size=1, max_size=len(TOPICS)
)


@settings(max_examples=60, deadline=None)
@given(SETS, st.sets(st.sampled_from(NAMES)), st.sampled_from(["both", "either", "except"]))
def test_sets_of_answers_are_sets(
    kg: KnowledgeGraph, sets: list[list[str]], out: set[str], over: Any
) -> None:
    parts = [part(topic, names) for topic, names in zip(TOPICS, sets, strict=False)]
    left_out = [mention(name) for name in sorted(out)] if over == "except" else []
    found = compute(kg, operation("list", over, NOTHING, named=left_out), parts, [])
    first, *others = map(set, sets)
    wanted = {
        "both": first.intersection(*others),
        "either": first.union(*others),
        "except": first.difference(*others, out),
    }[over]
    assert found is not None and found.bound is not None
    order = dict.fromkeys(name for own in sets for name in own)
    assert labels(found) == [name for name in order if name in wanted]
    assert found.status == ("answered" if wanted else "abstained") and verified(kg, found)
    for answer in found.answers:
        proofs = {"except": 1}.get(over, sum(answer["label"] in own for own in sets))
        assert len(answer["chains"]) == proofs and answer.get("form") == "path"
    many = compute(kg, operation("count", over, NOTHING, named=left_out), parts, [])
    assert many is not None and many.result is not None
    assert many.result["value"] == (len(wanted) or None) and labels(many) == labels(found)


@settings(max_examples=40, deadline=None)
@given(SETS.map(lambda sets: sets[0]), st.booleans())
def test_extremes_are_those_of_the_values(kg: KnowledgeGraph, names: list[str], most: bool) -> None:
    done = operation("extreme", "one", NOTHING, most=most, properties=["mass", "size"])
    found = compute(kg, done, [part("t0", names)], [])
    assert found is not None
    best: Mapping[str, int] = {n: (max if most else min)(SIZES[n]) for n in names if SIZES[n]}
    if not best:
        assert found.status == "abstained" and not found.answers
        return
    value = (max if most else min)(best.values())
    assert labels(found) == [n for n in names if best.get(n) == value] and verified(kg, found)
    lacking = len(names) - len(best)
    assert any(note.startswith(f"{lacking} of {len(names)}") for note in found.notes) == (
        lacking > 0
    )
    assert found.result is not None and str(value) in found.result["text"]
    assert [len(chain) for answer in found.answers for chain in answer["chains"]] == [1] * len(
        found.answers
    )


def test_a_part_that_is_not_sure_is_not_computed_with(kg: KnowledgeGraph) -> None:
    parts = [part("t0", "ab"), part("t1", "b", confidence=0.3)]
    found = compute(kg, operation("list", "both", NOTHING), parts, [])
    assert found is not None and found.status == "abstained" and found.bound is None
    assert found.notes == ["not sure enough to compute with (0.30): near t1?"]


def test_the_order_and_the_scores_of_answers_stay(kg: KnowledgeGraph) -> None:
    own = part("t0", "fbd")
    found = compute(kg, operation("list", "first", NOTHING), [own], [])
    assert found is not None and found.result is None
    assert [(a["label"], a["score"]) for a in found.answers] == [("f", 1.0), ("b", 0.9), ("d", 0.8)]
    assert [a["chains"] for a in found.answers] == [a["chains"] for a in own.get("answers", [])]


def test_last_answers_that_are_gone_are_no_answer(kg: KnowledgeGraph) -> None:
    own, gone = part("t0", "ab"), part("t0", "x")
    turns = [turn_of(cast(State, {**one, "topics": [entity("t0")]}), "said") for one in (own, gone)]
    for kind in ("count", "extreme"):
        done = operation(cast(Any, kind), "last", NOTHING, properties=["size"])
        found = compute(kg, done, [], turns[1:])
        assert found is not None and (found.status, found.answers) == ("abstained", [])
    found = compute(kg, operation("count", "last", NOTHING), [], turns[:1])
    assert found is not None and found.result is not None and found.result["value"] == 2


@pytest.mark.parametrize("negated", [False, True])
def test_a_condition_over_statement_nodes_is_proved_by_real_triples(
    tmp_path: Path, negated: bool
) -> None:
    """`near` leads to a and b; of these a was married in a place, over a node without a name."""
    lines = ["<urn:x:t0> <urn:x:near> <urn:x:a>, <urn:x:b> .", "<urn:x:a> <urn:x:wed> _:m ."]
    lines += ["_:m <urn:x:place> <urn:x:oslo> ; <urn:x:size> 3 .", "<urn:x:b> <urn:x:size> 4 ."]
    (tmp_path / "kg.ttl").write_text("\n".join(lines), encoding="utf-8")
    profile = replace(GENERIC, nodes=("_:",), collapse=True)
    kg = open_kg(str(tmp_path / "kg.ttl"), cache=tmp_path / "cache", profile=profile)
    turn = turn_of(cast(State, {**part("t0", "ab"), "topics": [entity("t0")]}), "said")
    done = operation(
        "list", "last", NOTHING, condition="wed place …", negated=negated, named=[mention("oslo")]
    )
    found = compute(kg, done, [], [turn])
    assert found is not None and labels(found) == (["b"] if negated else ["a"])
    assert verified(kg, found) and found.answers[0].get("form") == "path"
    if not negated:
        own, condition = found.answers[0]["chains"]
        assert (len(own), len(condition)) == (1, 2)
        assert [step["inverse"] for step in condition] == [True, True]
        assert condition[0]["tail"]["label"] == "oslo" and condition[1]["head"]["label"] == "a"
    kg.close()
