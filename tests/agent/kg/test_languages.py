"""Names are shown, and questions linked, in the languages that are wanted."""

from pathlib import Path

import pytest
from groundwalk.agent.errors import InputError, KGError
from groundwalk.agent.kg import GENERIC, KnowledgeGraph, build, language_tags, open_kg
from groundwalk.agent.kg.profile import precedence, speaking

E = "http://example.org/"
GRAPH = f"""
@prefix : <{E}> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:at rdfs:label "Austria"@en ; skos:prefLabel "Österreich"@de, "Autriche"@fr ; :capital :vie .
:vie rdfs:label "Vienna"@en, "Wien"@de ; skos:altLabel "Wean"@de-AT, "City of Dreams"@en .
:plain rdfs:label "Plain", "Schlicht"@de ; :near :at .
:capital rdfs:label "capital"@en, "Hauptstadt"@de .
:only rdfs:label "Kyiv"@en ; :near :vie .
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("languages")
    (folder / "kg.ttl").write_text(GRAPH, encoding="utf-8")
    return folder


def opened(folder: Path, *languages: str) -> KnowledgeGraph:
    return open_kg(str(folder / "kg.ttl"), cache=folder / "cache", languages=languages)


TERMS = [f"<{E}{name}>" for name in ("at", "vie", "plain", "capital", "only")]


@pytest.mark.parametrize(
    ("languages", "names"),
    [
        ((), ["Austria", "Vienna", "Plain", "capital", "Kyiv"]),
        (("de",), ["Österreich", "Wien", "Schlicht", "Hauptstadt", "Kyiv"]),
        (("de", "en"), ["Österreich", "Wien", "Schlicht", "Hauptstadt", "Kyiv"]),
        (("en", "de"), ["Austria", "Vienna", "Schlicht", "capital", "Kyiv"]),
        (("fr", "en"), ["Autriche", "Vienna", "Plain", "capital", "Kyiv"]),
    ],
)
def test_names_are_in_the_first_language_that_a_term_has(
    folder: Path, languages: tuple[str, ...], names: list[str]
) -> None:
    assert opened(folder, *languages).labels.names(TERMS) == names


def test_texts_in_every_wanted_language_are_looked_up_and_no_others(folder: Path) -> None:
    both, german, default = opened(folder, "de", "en"), opened(folder, "de"), opened(folder)
    assert all(both.labels.lookup(text) for text in ("osterreich", "wien", "vienna", "wean"))
    assert german.labels.lookup("wean") and not german.labels.lookup("city of dreams")
    assert not default.labels.lookup("wien") and default.labels.lookup("vienna")
    assert len({kg.digest for kg in (both, german)}) == 1
    assert both.folder != german.folder != default.folder


def test_a_built_graph_keeps_its_languages(folder: Path, tmp_path: Path) -> None:
    build(str(folder / "kg.ttl"), tmp_path / "kg", languages=("de", "en"))
    path = str(tmp_path / "kg")
    for languages in ((), ("de", "en"), ("DE", "en", "")):
        assert open_kg(path, languages=languages).labels.names(TERMS[:1]) == ["Österreich"]
    with pytest.raises(KGError, match="was built for de,en, not for fr") as caught:
        open_kg(path, languages=("fr",))
    assert "--language fr" in caught.value.hint


def test_tags() -> None:
    assert language_tags(" de, pt_BR,,de ") == ("de", "pt-br")
    assert language_tags("") == ()
    for text in ("de;en", "deutsch-und-englisch!", "öst"):
        with pytest.raises(InputError, match="is not the tag of a language"):
            language_tags(text)


def test_speaking() -> None:
    assert speaking(GENERIC, ()) is GENERIC
    assert speaking(GENERIC, ("DE", "en")).languages == ("de", "en", "")
    assert [precedence(("de", "en", ""), rank) for rank in range(3)] == [1, 2, 2]
    assert [precedence(("en", ""), rank) for rank in range(2)] == [1, 1]
