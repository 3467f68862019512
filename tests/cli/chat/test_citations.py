import re

from groundwalk.agent.evidence.text import chain_trees
from groundwalk.agent.records import Answer, Named, StepRecord
from groundwalk.cli.chat.screen import cite
from groundwalk.cli.render import brackets
from hypothesis import given
from hypothesis import strategies as st


def named(number: int) -> Named:
    return Named(term=f"<urn:{number}>", label=f"n{number}")


@st.composite
def chains(draw: st.DrawFn) -> list[StepRecord]:
    """A walk of up to three steps from one of two topics."""
    places = [draw(st.integers(0, 1)), *draw(st.lists(st.integers(2, 6), min_size=1, max_size=3))]
    walk = list[StepRecord]()
    for start, end in zip(places, places[1:], strict=False):
        inverse = draw(st.booleans())
        head, tail = (end, start) if inverse else (start, end)
        relation = named(draw(st.integers(100, 101)))
        made = {"head": named(head), "relation": relation, "tail": named(tail)}
        walk.append(StepRecord(**made, inverse=inverse, verdict="supported"))
    return walk


ANSWERS = st.lists(
    st.lists(chains(), min_size=1, max_size=3).map(
        lambda own: Answer(term="<urn:a>", label="a", score=1.0, chains=own)
    ),
    max_size=5,
)


@given(ANSWERS)
def test_an_answer_refers_to_its_chains_and_each_chain_has_one_number(
    answers: list[Answer],
) -> None:
    cited = cite(answers, [])
    for answer, numbers in zip(answers, cited.of, strict=True):
        distinct = [c for i, c in enumerate(answer["chains"]) if c not in answer["chains"][:i]]
        assert [cited.chains[number - 1] for number in numbers] == distinct
    firsts = list(dict.fromkeys(number for numbers in cited.of for number in numbers))
    assert firsts == list(range(1, len(cited.chains) + 1))
    assert all(chain not in cited.chains[:i] for i, chain in enumerate(cited.chains))


@given(ANSWERS)
def test_numbers_stand_where_their_chain_ends(answers: list[Answer]) -> None:
    cited = cite(answers, [])
    roots = {root.term: root for root in chain_trees(answers, [])}
    found = list[int]()
    for (first, *keys), numbers in cited.ends.items():
        place = roots[str(first)]
        steps = list[StepRecord]()
        for key in keys:
            assert isinstance(key, tuple)
            place = place.branches[key]
            assert place.step is not None
            steps.append(place.step)
        assert all(cited.chains[number - 1] == steps for number in numbers)
        found += numbers
    assert sorted(found) == list(range(1, len(cited.chains) + 1))


@given(st.sets(st.integers(1, 40)))
def test_brackets_say_exactly_these_numbers(numbers: set[int]) -> None:
    read = set[int]()
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", brackets(numbers)):
        read |= set(range(int(first), int(last or first) + 1))
    assert read == numbers


def test_brackets_are_short() -> None:
    assert [brackets(n) for n in ([], [1], [4, 1, 2, 3], [2, 5])] == ["", "[1]", "[1-4]", "[2, 5]"]
