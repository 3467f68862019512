"""What stands around a name tells what it is, and whether it is one."""

from contextlib import closing
from pathlib import Path

from groundwalk.agent.kg import open_kg
from groundwalk.agent.linking import LabelLinker


def test_what_a_relation_is_called_names_no_entity(tmp_path: Path) -> None:
    (tmp_path / "un.kb").write_text(
        "Iran|UN subregion|Southern Asia\nIran|member of|UN\n", encoding="utf-8"
    )
    with closing(open_kg(str(tmp_path / "un.kb"), cache=tmp_path / "cache")) as kg:
        linker = LabelLinker(kg.labels)
        for question, expected in {
            "Which UN subregion is Iran in?": ["Iran"],
            "the UN subregions of Iran": ["Iran"],
            "Is Iran in the UN?": ["Iran", "UN"],
        }.items():
            assert [mention.text for mention in linker.link(question)] == expected
