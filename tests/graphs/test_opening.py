"""What `open_kg`, `build_graph` and `describe_graph` take for a graph, and how one is closed."""

from pathlib import Path
from typing import Any

import pytest
from groundwalk import InputError, ServiceError, build_graph, describe_graph, open_kg


def test_a_graph_is_named_by_a_path_or_a_string(tmp_path: Path) -> None:
    path = tmp_path / "kg.ttl"
    path.write_text("<urn:Kenya> <urn:capital> <urn:Nairobi> .", encoding="utf-8")
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


def test_a_graph_is_closed_at_the_end_of_a_block(tmp_path: Path) -> None:
    """And whoever asks it after that is told what is wrong."""
    path = tmp_path / "kg.ttl"
    path.write_text("<urn:Kenya> <urn:capital> <urn:Nairobi> .", encoding="utf-8")
    with open_kg(path) as kg:
        graph = build_graph(kg=kg)
        assert kg.labels.names(["<urn:Kenya>"]) == ["Kenya"]
    for use in (lambda: kg.labels.relations(), lambda: graph.invoke({"question": "Kenya?"})):
        with pytest.raises(ServiceError, match=r"the graph is closed") as error:
            use()
        assert error.value.hint == "open it again"
