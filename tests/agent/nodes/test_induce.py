"""What replies answer: names of what the decoded paths end in, however they are written."""

import pytest
from groundwalk.agent.nodes.induce import match_lines
from groundwalk.agent.records import Candidate, Named

ENDS = ("Oslo", "Rome", "1815", "0.5", "50 Cent", "2001: A Space Odyssey", "1. FC Köln", "C", "C++")


def candidate(label: str) -> Candidate:
    topic = Named(term="<a>", label="Ada")
    return Candidate(
        topic=topic,
        steps=[],
        answer=Named(term=f"<{label}>", label=label),
        hypothesis=label,
        text=label,
        score=1.0,
        relevance=1.0,
        form="path",
    )


@pytest.mark.parametrize(
    ("reply", "answers", "unsupported"),
    [
        ("1815", ["1815"], []),
        ("1. 1815", ["1815"], []),
        ("- 0.5", ["0.5"], []),
        ("50 Cent\n2001: A Space Odyssey", ["50 Cent", "2001: A Space Odyssey"], []),
        ("1. FC Köln", ["1. FC Köln"], []),
        ("Oslo, Rome", ["Oslo", "Rome"], []),
        ("1.Oslo\n2.Rome", ["Oslo", "Rome"], []),
        ('["Oslo", "Rome"]', ["Oslo", "Rome"], []),
        ('```json\n["Oslo", "Rome"]\n```', ["Oslo", "Rome"], []),
        ("```text\nOslo\n```", ["Oslo"], []),
        ("Answer: Oslo", ["Oslo"], []),
        ("The answer is Oslo.", ["Oslo"], []),
        ("# Answers:\nOslo\nParis", ["Oslo"], ["Paris"]),
        ("## Answers\nOslo", ["Oslo"], []),
        ("1. Oslo\n2. Rome\n(of paths [1, 2])", ["Oslo", "Rome"], ["(of paths [1, 2])"]),
        ("Oslo\nAnswer: NONE", [], []),
        ("C++", ["C++"], []),
        ("c++", ["C++"], []),
        ("C", ["C"], []),
        ("NONE", [], []),
        ("", [], []),
    ],
)
def test_replies_are_read_in_every_shape(
    reply: str, answers: list[str], unsupported: list[str]
) -> None:
    found, asserted = match_lines(reply, [candidate(end) for end in ENDS])
    assert [answer["label"] for answer in found] == answers
    assert asserted == unsupported
