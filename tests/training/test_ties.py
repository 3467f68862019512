from groundwalk.agent.kg.terms import Triple
from groundwalk.training.graph import Move, Moves, build_graph
from groundwalk.training.ties import settle
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


def test_relations_that_the_question_spells_are_meant_whatever_others_need() -> None:
    """`tracks` of a song are the song itself: a shorter path has the same answers."""
    labels = ("music.recording.tracks", "music.track.release_date", "tracks_of")
    graph = build_graph(
        [Triple("<x:a>", f"<x:{label}>", "<x:b>") for label in labels],
        names={"<x:a>": "a", "<x:b>": "b"},
        kinds={"<x:a>": "", "<x:b>": ""},
        labels={f"<x:{label}>": label for label in labels},
    )
    number = {label: place for place, label in enumerate(graph.labels)}
    tracks, date, other = (Move(number[label]) for label in labels)
    back = Move(tracks.relation, True)
    texts = ["the release_date of \ufffc 's tracks", "the tracks of \ufffc 's tracks"]
    texts += ["the release date of \ufffc"] * 9
    ties = [
        [(date,), (tracks, date), (other, date), (back, date)],
        [(tracks,), (tracks, tracks)],
        *[[(date,), (tracks, date)]] * 9,
    ]
    settled = settle(graph, texts, ties)
    assert settled == [(tracks, date), (tracks, tracks), *[(date,)] * 9]
