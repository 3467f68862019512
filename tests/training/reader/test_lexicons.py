"""Words that stand in the same entries of lexicons mean alike, and so do forms of one word."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from groundwalk.agent.errors import InputError
from groundwalk.agent.reader.weights import open_reader
from groundwalk.training.reader import lexicons
from groundwalk.training.reader.lexicons import (
    Meanings,
    NearWords,
    lexicon_of,
    meanings_of,
    thesaurus,
)

FILES = {
    "wikidata-properties.tsv.gz": [
        "P1\tdirector\twikibase-item\t9\tfilm director | directed by\tperson who made the film",
        "P2\tcapital\twikibase-item\t9\tseat of government\tcity of the government of a country",
        "P3\tISBN\texternal-id\t9\tbanana banana\tbanana number",
    ],
    "wikidata-property-pairs.tsv.gz": ["related\tP2\tcapital\tP9\tgovernment"],
    "schemaorg-properties.tsv.gz": ["actor\tactor\tAn actor of a film\tMovie\tPerson\t\t"],
    "freebase-relations.tsv.gz": ["film.film.cast\tCast\tfilm.film\tfilm.actor"],
    "wordnet.tsv.gz": ["movie\tn\tfilm | picture\t", "director\tn\t\tdirect | directorship"],
    "ppdb-synonyms.tsv.gz": ["movie\tfilm", "capital\tmetropolis"],
}
NEAR = [
    NearWords(["mended", "by"], ["fixed", "repair", "workshop"]),
    NearWords(["salary"], ["earn", "wage"]),
]
QUESTIONS = ["who directs the movie", "who directed the film"] * 3
LABELS = ["director", "capital", "directing", "government"] * 2


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("data")
    (data / "lexicon").mkdir()
    for name, rows in FILES.items():
        text = "".join(f"{row}\n" for row in ["heading", *rows])
        (data / "lexicon" / name).write_bytes(gzip.compress(text.encode()))
    return data


@pytest.fixture(scope="module")
def meanings(data: Path) -> Meanings:
    return meanings_of(data, QUESTIONS, LABELS, NEAR, 8)


def alike(meanings: Meanings, one: str, other: str) -> float:
    rows = {word: row for row, word in enumerate(meanings.words)}
    return float(meanings.vectors[rows[one]] @ meanings.vectors[rows[other]])


def test_vectors_have_length_one_and_words_are_in_order(meanings: Meanings) -> None:
    assert list(meanings.words) == sorted(meanings.words)
    np.testing.assert_allclose(np.linalg.norm(meanings.vectors, axis=1), 1, atol=1e-3)


def test_words_of_the_same_entries_mean_alike(meanings: Meanings) -> None:
    assert alike(meanings, "movie", "film") > alike(meanings, "movie", "capital") + 0.2
    assert alike(meanings, "government", "capital") > alike(meanings, "government", "movie") + 0.2


def test_forms_of_a_word_mean_alike(meanings: Meanings) -> None:
    assert alike(meanings, "directed", "director") > alike(meanings, "directed", "capital") + 0.2


def test_identifiers_of_other_catalogues_mean_nothing(meanings: Meanings) -> None:
    assert "banana" not in meanings.words


def test_words_by_which_people_ask_for_a_label_mean_alike(meanings: Meanings) -> None:
    assert alike(meanings, "fixed", "mended") > alike(meanings, "fixed", "salary") + 0.2
    assert alike(meanings, "earn", "salary") > alike(meanings, "earn", "mended") + 0.2


def test_of_too_many_words_those_of_the_thesaurus_and_of_questions_stay(data: Path) -> None:
    few = meanings_of(data, QUESTIONS, LABELS, NEAR, 4, most=12)
    assert {"mended", "fixed", "salary", "wage", "who", "film"} <= set(few.words)
    assert len(few.words) == 12
    assert "directorship" not in few.words


def test_near_words_of_one_word_are_related_and_those_of_several_not(data: Path) -> None:
    related = lexicon_of(data, QUESTIONS, NEAR).related
    assert related["salary"] == {"earn", "wage"}
    assert related["wage"] == {"salary"}
    assert "mended" not in related


def test_words_apart_are_so_both_ways_and_none_is_apart_from_itself(data: Path) -> None:
    apart = lexicon_of(data, QUESTIONS, NEAR).apart
    assert "maximum" in apart["minimum"] and "minimum" in apart["maximum"]
    assert "max" not in apart["maximum"]
    assert all(
        word not in others and word in apart[other]
        for word, others in apart.items()
        for other in others
    )


def test_the_bundled_lexicon_has_the_words_apart(data: Path) -> None:
    assert open_reader().load().lexicon.apart == lexicon_of(data, QUESTIONS, NEAR).apart


def test_our_thesaurus_has_words_of_many_labels() -> None:
    lines = thesaurus()
    assert len(lines) > 5_000
    assert ["repaired"] in [line.heads for line in lines]


@pytest.mark.parametrize("line", ["mended", "mended:", ": fixed", "mended: -"])
def test_a_line_that_says_nothing_is_told_by_its_number(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "words.txt"
    file.write_text(f"salary: earn wage\n{line}\n", encoding="utf-8")
    monkeypatch.setattr(lexicons, "thesaurus_files", lambda: [file])
    with pytest.raises(InputError, match="words.txt:2 names no near words"):
        thesaurus()
