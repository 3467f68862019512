from pathlib import Path

import pytest
from groundwalk.agent.errors import ModelError
from groundwalk.agent.llm.bag_of_words import (
    Baselines,
    WordCounts,
    count_words,
    features_of,
    read_baselines,
    write_baselines,
)
from groundwalk.agent.llm.model_folder import BUNDLED
from hypothesis import given
from hypothesis import strategies as st

CHILD, HOME = (("<x:child>", False),), (("<x:child>", False), ("<x:home>", True))
TEMPLATES = {
    "who are the children of [person]": {0: 3, 1: 1},
    "where do the children of [person] live": {1: 2},
}


def baselines() -> Baselines:
    rows = [
        (features_of(text), {n: float(c) for n, c in own.items()})
        for text, own in TEMPLATES.items()
    ]
    return Baselines((CHILD, HOME, ()), count_words(rows), TEMPLATES, {"words": 0.25})


TEXT = st.text("abc [](){}\"\\'é\ud7ff\n", max_size=8)
STEP = st.tuples(TEXT, st.booleans())


@given(
    st.lists(st.lists(STEP, max_size=3).map(tuple), min_size=1, max_size=3),
    st.dictionaries(TEXT, st.integers(1, 9), max_size=3),
)
def test_what_is_written_is_read(
    paths: list[tuple[tuple[str, bool], ...]], words: dict[str, int]
) -> None:
    from tempfile import TemporaryDirectory

    own = {text: {len(paths) - 1: float(n)} for text, n in words.items()}
    counts = {text: {0: n} for text, n in words.items()}
    made = Baselines(tuple(paths), WordCounts({0: 2.0}, own), counts, {"lookup": 0.5})
    with TemporaryDirectory() as folder:
        write_baselines(Path(folder), made)
        assert read_baselines(folder) == made


def test_words_rank_every_path_by_its_probability() -> None:
    ranked = list(baselines().rank_by_words("Where do the kids of [person] live?"))
    assert [guess.relations for guess in ranked] == [HOME, CHILD]
    assert sum(guess.probability for guess in ranked) == pytest.approx(1)


def test_the_same_template_has_its_most_frequent_path() -> None:
    ranked = list(baselines().rank_by_template("Who are the children of [person]?"))
    assert ranked == [(CHILD, 0.75), (HOME, 0.25)]


def test_another_template_is_as_likely_as_the_words_it_shares() -> None:
    ranked = list(baselines().rank_by_template("where do children of [person] live now"))
    # of 8 words in either, 6 are in both; then of 10, 3:
    assert ranked[0] == (HOME, pytest.approx(6 / 8))
    assert ranked[1] == (CHILD, pytest.approx(0.75 * 3 / 10))


@pytest.mark.parametrize("source", ["folder", BUNDLED, "someone/model"])
def test_a_model_without_them_says_how_to_get_them(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwalk.agent.llm.bag_of_words.BASELINES_FILE", "nowhere.json")
    with pytest.raises(ModelError, match="has no nowhere.json") as raised:
        read_baselines(str(tmp_path) if source == "folder" else source)
    assert "groundwalk train" in raised.value.hint and "\n" not in raised.value.message


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"format": 2}', '{"format": 1, "paths": [[["r"]]]}', b"\xff".decode("latin1")],
)
def test_a_damaged_file(text: str, tmp_path: Path) -> None:
    (tmp_path / "baselines.json").write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match="cannot be read"):
        read_baselines(str(tmp_path))


def test_a_path_that_the_file_does_not_hold(tmp_path: Path) -> None:
    write_baselines(tmp_path, Baselines((CHILD,), WordCounts({5: 1.0}, {}), {}))
    with pytest.raises(ModelError, match="does not hold"):
        read_baselines(str(tmp_path))
