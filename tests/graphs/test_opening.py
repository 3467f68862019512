"""What `open_kg`, `build_graph` and `describe_graph` take for a graph, and how one is closed."""

from pathlib import Path
from typing import Any

import pytest
import rdflib
from groundwalk import InputError, ServiceError, build_graph, describe_graph, kg_of, open_kg

FACT = "<urn:Kenya> <urn:capital> <urn:Nairobi> ."


def test_a_graph_is_named_by_a_path_or_a_string(tmp_path: Path) -> None:
    path = tmp_path / "kg.ttl"
    path.write_text(FACT, encoding="utf-8")
    for source in (path, str(path)):
        assert build_graph(kg=source).invoke({"question": "capital of Kenya"})["status"]
        page = describe_graph(source)
        assert page["size"] and page["size"]["triples"] == 1 and page["relations"][0]["facts"] == 1


@pytest.mark.parametrize("given", [5, None, ["world"]])
def test_what_is_no_graph_is_an_input_error(given: Any) -> None:
    calls = (lambda: open_kg(given), lambda: describe_graph(given), lambda: build_graph(kg=given))
    for call in calls:
        with pytest.raises(InputError, match=f"a {type(given).__name__} is no knowledge graph"):
            call()


@pytest.mark.parametrize("profile", ["wikidata", "own.toml", Path("own.toml")])
def test_a_profile_is_named(
    profile: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kg.ttl").write_text(FACT, encoding="utf-8")
    Path("own.toml").write_text('extends = "generic"', encoding="utf-8")
    graph = rdflib.Graph().parse(data=FACT, format="turtle")
    for kg in (open_kg("kg.ttl", profile=profile), kg_of(graph, profile=profile)):
        assert kg.profile.name == Path(profile).stem


def test_a_reading_is_told_in_words(tmp_path: Path) -> None:
    path = tmp_path / "kg.ttl"
    path.write_text(FACT, encoding="utf-8")
    graph = rdflib.Graph().parse(data=FACT, format="turtle")
    for kg in (
        open_kg(path, reading=["collapse", "same-as"]),
        kg_of(graph, reading=("same-as", "collapse")),
    ):
        assert kg.reading.names == ["mediators", "same-as"]
    assert open_kg(path, reading=("sub-property-of", "inverse-of")).reading.names == [
        "inverse-of",
        "sub-property-of",
    ]
    assert open_kg(path, reading=["keep"], profile="wikidata").reading.plain
    assert open_kg(path, profile="wikidata").reading.names == ["mediators"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"profile": "wikidat"}, "no profile is called 'wikidat'"),
        ({"profile": 3}, "no profile: int"),
        ({"reading": ["colapse"]}, "reading 'colapse': is none of keep, collapse, same-as"),
        ({"reading": ["keep", "collapse"]}, "a reading cannot both keep and collapse"),
        ({"reading": {"infer": ["same-as"]}}, "reading 'infer': is none of"),
        ({"reading": True}, "reading True: is none of"),
        ({"on_broken": "ignore"}, "on_broken='ignore': is none of fail and skip"),
    ],
)
def test_what_cannot_be_chosen_is_an_input_error(
    given: dict[str, Any], said: str, tmp_path: Path
) -> None:
    path = tmp_path / "kg.ttl"
    path.write_text(FACT, encoding="utf-8")
    with pytest.raises(InputError, match=said) as caught:
        open_kg(path, **given)
    assert caught.value.hint and "\n" not in caught.value.with_hint


@pytest.mark.parametrize("given", ["kg.ttl", None, [("a", "b", "c")]])
def test_what_is_no_graph_of_rdflib_is_an_input_error(given: Any) -> None:
    with pytest.raises(InputError, match=f"a {type(given).__name__} is no graph of rdflib"):
        kg_of(given)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("/srv/data/bakery.ttl", "bakery.ttl"),
        ("data/kg/", "kg"),
        ("mine", "mine"),
        ("file:///srv/data/bakery.ttl", "bakery.ttl"),
        ("C:\\data\\bakery.ttl", "bakery.ttl"),
        ("HTTPS://shop.example/sparql", "HTTPS://shop.example/sparql"),
    ],
)
def test_a_name_of_a_source_has_no_path(source: str, name: str) -> None:
    graph = rdflib.Graph().parse(data=FACT, format="turtle")
    assert kg_of(graph, source=source).name == name


def test_a_graph_is_closed_at_the_end_of_a_block(tmp_path: Path) -> None:
    """And whoever asks it after that is told what is wrong."""
    path = tmp_path / "kg.ttl"
    path.write_text(FACT, encoding="utf-8")
    with open_kg(path) as kg:
        graph = build_graph(kg=kg)
        assert kg.labels.names(["<urn:Kenya>"]) == ["Kenya"]
    for use in (lambda: kg.labels.relations(), lambda: graph.invoke({"question": "Kenya?"})):
        with pytest.raises(ServiceError, match=r"the graph is closed") as error:
            use()
        assert error.value.hint == "open it again"
