"""Questions for what has some values, over tables."""

from groundwalk.agent.query.actions import Action
from groundwalk.agent.query.prompt import Numbered
from groundwalk.agent.reader.lexicon import words_of
from groundwalk.training.reader.examples import Example, with_words
from groundwalk.training.reader.rows import ROWS, rows
from groundwalk.training.reader.sources import Hop, SchemaLabels


def asked(table: str, value: str, relation: str, column: str) -> Example:
    question = f"what is the {column} with {relation} {value}"
    start = question.index(value)
    words = words_of(question, [Numbered(start, start + len(value), "thing")])
    walk = (Action("pointer", number=0), Action("step", relation, True), Action("step", column))
    actions = (*walk, Action("end"))
    return with_words(table, "toy", words, actions)


QUESTIONS = [
    asked("race", "Alba", "name of horse", "jockey"),
    asked("race", "Tim", "jockey", "points"),
    asked("race", "Nora", "jockey", "points"),
    asked("ship", "Kiel", "port", "length"),
]
SCHEMAS = {
    "race": SchemaLabels((Hop("name of horse"), Hop("jockey"), Hop("points"))),
    "ship": SchemaLabels((Hop("port"), Hop("length"))),
}
NOUNS = [("horse", "horses"), ("runner", "runners"), ("vessel", "vessels")]
MADE = rows(QUESTIONS, SCHEMAS, NOUNS, 3_000, seed=1)


def pairs(example: Example) -> list[tuple[str, str]]:
    """Each value that a question begins at, with its relation."""
    values = {word.mention: word.text for word in example.words if word.mention is not None}
    walked = zip(example.actions, example.actions[1:], strict=False)
    return [
        (values[pointer.number], hop.name)
        for pointer, hop in walked
        if pointer.kind == "pointer" and pointer.number is not None
    ]


def test_every_condition_is_a_value_of_its_table_and_no_column_is_asked_for() -> None:
    cells = {
        "race": {("alba", "name of horse"), ("tim", "jockey"), ("nora", "jockey")},
        "ship": {("kiel", "port")},
    }
    for example in MADE:
        assert example.source == ROWS
        assert set(pairs(example)) <= cells[example.schema]
        assert all(action.inverse for action in example.actions if action.kind == "step")
        assert {a.kind for a in example.actions} <= {"pointer", "step", "and", "count", "end"}
    assert {len(pairs(example)) for example in MADE} == {1, 2, 3}


def test_values_are_numbered_in_the_order_of_the_words() -> None:
    for example in MADE:
        numbers = [word.mention for word in example.words if word.mention is not None]
        assert numbers == list(range(len(numbers))) and len(numbers) == len(pairs(example))


def test_no_noun_is_a_word_of_a_label() -> None:
    texts = [{word.text for word in example.words} for example in MADE if example.schema == "race"]
    assert not any({"horses"} & words for words in texts)
    assert any({"runners", "vessels"} & words for words in texts)


def test_without_values_nothing_is_made() -> None:
    assert rows([], SCHEMAS, NOUNS, 10, seed=0) == []
