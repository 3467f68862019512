"""Names that are linked to nothing are told from other words by their capitals."""

import pytest
from groundwalk.agent.kg.labels.index import Word
from groundwalk.agent.linking.plausible import everyday_words
from groundwalk.agent.linking.unlinked import may_be_missing, names_beside, words_of_no_name

EVERYDAY = everyday_words([])


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How are Austria and Narnia connected?", ["Narnia"]),
        ("What is Narnia's capital near Cair Paravel?", ["Narnia", "Cair Paravel"]),
        ("Is Austria, Narnia or Mordor larger?", ["Narnia", "Mordor"]),
        ("Which Queen ruled Austria?", []),
        ("Countries of Austria", []),
        ("Narnia", []),
        ("HOW ARE AUSTRIA AND NARNIA CONNECTED?", []),
        ("how are austria and narnia connected?", []),
        ("Which countries border Austria?", []),
    ],
)
def test_names_that_are_not_taken(question: str, names: list[str]) -> None:
    start = question.find("Austria")
    taken = [(start, start + len("Austria"))] if start >= 0 else []
    spans = names_beside(question, taken, EVERYDAY)
    assert [question[span.start : span.end] for span in spans] == names


@pytest.mark.parametrize(
    ("name", "is_missing"),
    [
        ("Narnia", True),
        ("August Strand", True),
        ("ATC Narnia", True),
        ("ATC", False),
        ("August", False),
        ("Sept", False),
        ("Sundays", False),
        ("EUR", False),
        ("BC", False),
    ],
)
def test_words_of_labels_dates_and_money_are_not_missing(name: str, is_missing: bool) -> None:
    vocabulary = [Word("ATC code", "<http://example.org/atcCode>", relation=True)]
    assert may_be_missing(name, words_of_no_name(vocabulary)) == is_missing
