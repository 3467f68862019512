import pytest
from groundwalk.agent.kg.terms import Triple
from groundwalk.training.asked.supervision import settle
from groundwalk.training.questions.graph import Move, Moves, build_graph
from hypothesis import given
from hypothesis import strategies as st

GRAPH = build_graph(
    [Triple("<x:a>", f"<x:{name}>", "<x:b>") for name in ("by_whom", "place", "year")],
    names={"<x:a>": "a", "<x:b>": "b"},
    kinds={"<x:a>": "", "<x:b>": ""},
    labels={f"<x:{name}>": name for name in ("by_whom", "place", "year")},
)
A, B, C = ((Move(n),) for n in range(3))
LONG: Moves = (Move(0), Move(1))
PATHS = st.lists(st.sampled_from([A, B, C, LONG]), min_size=1, max_size=3, unique=True)
ROWS = st.lists(
    st.tuples(st.sampled_from(["who made \ufffc", "where is \ufffc"]), PATHS),
    min_size=1,
    max_size=8,
)


@given(ROWS)
def test_each_gets_one_of_its_own_whatever_the_order(rows: list[tuple[str, list[Moves]]]) -> None:
    settled = settle(GRAPH, [text for text, _ in rows], [own for _, own in rows])
    assert all(path in own for path, (_, own) in zip(settled, rows, strict=True))
    turned = settle(GRAPH, [text for text, _ in rows], [own[::-1] for _, own in rows])
    assert turned == settled


def test_the_path_that_others_need_is_meant() -> None:
    texts = ["one \ufffc", "two \ufffc", "three \ufffc"]
    assert settle(GRAPH, texts, [[A, B], [B], [B, C]]) == [B, B, B]


def test_questions_with_the_same_words_agree() -> None:
    """By chance A also fits a question about places, which are asked for less often."""
    texts = ["who made \ufffc"] * 6 + ["where is \ufffc"] * 3
    ties = [[A]] * 6 + [[B], [B], [A, B]]
    assert settle(GRAPH, texts, ties) == [A] * 6 + [B] * 3


def test_where_nothing_tells_the_shorter_is_taken() -> None:
    assert settle(GRAPH, ["q \ufffc"], [[LONG, B]]) == [B]
    assert settle(GRAPH, ["q \ufffc"], [[C, B]]) == [B]


def test_a_relation_that_the_question_names_is_meant() -> None:
    assert settle(GRAPH, ["the place of \ufffc", "the year of \ufffc"], [[A, B], [A, C]]) == [B, C]
    assert settle(GRAPH, ["by whom was it \ufffc", "q \ufffc"], [[A, B], [B]]) == [A, B]
    assert settle(GRAPH, ["the place by \ufffc"], [[B, LONG]]) == [LONG]


def settled(labels: tuple[str, ...], text: str, often: str, *ties: str) -> str:
    """Which of some paths, as relations between blanks, a text is given, and another nine times."""
    graph = build_graph(
        [Triple("<x:a>", f"<x:{place}>", "<x:b>") for place, _ in enumerate(labels)],
        names={"<x:a>": "a", "<x:b>": "b"},
        kinds={"<x:a>": "", "<x:b>": ""},
        labels={f"<x:{place}>": label for place, label in enumerate(labels)},
    )
    number = {label: place for place, label in enumerate(graph.labels)}

    def path(spelled: str) -> Moves:
        names = spelled.split()
        return tuple(Move(number[n.removeprefix("^")], n.startswith("^")) for n in names)

    texts, own = [text] + ["what \ufffc"] * 9, [[*map(path, ties)]] + [[path(often)]] * 9
    moves = settle(graph, texts, own)[0]
    return " ".join(graph.spell(move) for move in moves)


@pytest.mark.parametrize(
    ("text", "often", "ties", "meant"),
    [
        ("the date of \ufffc 's m.r.tracks", "date", "date|m.r.tracks date", "m.r.tracks date"),
        ("the place of birth of \ufffc", "place", "place_of_birth|place_of_birth place|place", 0),
        ("the place of the place of \ufffc", "place", "place place|place", 0),
        ("the place of \ufffc", "date", "^place|place|date", "place"),
        ("the place of \ufffc", "place", "place|place -", 0),
    ],
)
def test_relations_that_the_question_spells_are_meant_whatever_others_need(
    text: str, often: str, ties: str, meant: str | int
) -> None:
    labels = ("m.r.tracks", "date", "place", "place_of_birth", "-")
    paths = ties.split("|")
    wanted = paths[meant] if isinstance(meant, int) else meant
    for turned in (paths, paths[::-1]):
        assert settled(labels, text, often, *turned) == wanted
