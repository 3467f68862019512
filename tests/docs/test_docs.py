"""README.md and docs/ do as they say: code runs, outputs are compared, options and links exist.

The blocks of a page are run in their order by a real shell in one folder, without the network.
"""

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.kg import load_profile
from groundwalk.cli.main import app
from typer.main import get_command

from ..warm import Shell, warm
from .pages import LINKED, PAGES, ROOT, Block, anchors, blocks, commands, inline, links, read

GRAPH_OF = {"docs/training.md": "docs/graphs.md"}
"""Pages about the graph that the first block of another page writes."""

NOT_RUN = {
    "./dev ask ": "installs into .venv",
    "./dev setup\n": "installs into .venv",
    "./dev train-reader ": "takes hours",
    "groundwalk kg build dump.nt.gz ": "a large file",
    "groundwalk kg build latest-truthy.nt.gz ": "a large file",
    "groundwalk train --kg my.ttl --out my-reader": "tunes for minutes",
    "pip install": "installs, and needs a model of the hub",
    "groundwalk ask --kg my.ttl --model Qwen/": "needs models of the hub",
    "groundwalk ask --kg freebase-slice.nt ": "needs a model of the hub",
    "groundwalk ask --kg https://": "needs the network",
    "groundwalk eval run --dataset world ": "takes minutes",
    "groundwalk eval run --dataset world --method NAME,... ": "a pattern",
    "groundwalk eval run --dataset exam ": "takes minutes",
    "python -m groundwalk.evaluation.benchmarks.large ": "takes minutes",
    "python -m groundwalk.evaluation.benchmarks.replay": "public data",
    "export RAY_ADDRESS=": "needs a cluster",
}
"""The beginnings of blocks of commands that are looked up in the command line only, and why."""

OF_OTHERS = {
    "--triples",
    "--latency",
    "--assume",
    "--head",
    "--locked",
    "--require-hashes",
    "--made",
    "--no-twins",
}
"""Options in the text that are of `python -m`, `ray`, `./dev` and pip, not of groundwalk."""

KINDS = {"": "commands", "sh": "commands", "python": "python", "json": "json", "toml": "profile"}

COMMANDS: Any = get_command(app)
BLOCKS = [block for page in PAGES for block in blocks(page)]


def kind(block: Block) -> str:
    return KINDS[block.language]


def reason_not_run(block: Block) -> str | None:
    fitting = [start for start in NOT_RUN if block.text.startswith(start)]
    return NOT_RUN[max(fitting, key=len)] if fitting else None


# What is not run is at least in the command line.


def parse(words: list[str], *, whole: bool) -> None:
    """Read the words after `groundwalk` as it would; they may lack arguments if not `whole`."""
    command = COMMANDS
    path = ["groundwalk"]
    while hasattr(command, "commands"):
        if not words or words[0].startswith("-"):
            break
        assert words[0] in command.commands, f"there is no {' '.join(path)} {words[0]}"
        command, path, words = command.commands[words[0]], [*path, words[0]], words[1:]
    try:
        command.make_context(" ".join(path), list(words))
    except Exception as error:
        lacks = type(error).__name__ in ("MissingParameter", "NoArgsIsHelpError", "Exit")
        if whole or not lacks:
            raise AssertionError(f"{' '.join(path)}: {error or type(error).__name__}") from None


def look_up(words: list[str]) -> None:
    """Fail where a command of a page cannot be typed so."""
    match words:
        case ["groundwalk", *rest]:
            parse(rest, whole=True)
        case ["accelerate", "launch", *rest]:
            parse(rest[rest.index("train") :], whole=True)
        case ["./dev", command, *_]:
            assert f"\n{command})\n" in (ROOT / "dev").read_text(encoding="utf-8")
        case ["pip", "install", what, *_]:
            project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
                "project"
            ]
            extras = re.findall(r"[\w-]+", what.partition("[")[2])
            assert set(extras) <= project["optional-dependencies"].keys()
        case ["python", "-m", module, *_]:
            assert importlib.util.find_spec(module), f"there is no module {module}"
        case ["cat" | "echo" | "export" | "printf", *_]:
            pass
        case _:
            raise AssertionError(f"nobody knows how to look this up: {' '.join(words)}")


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.title)
def test_every_command_can_be_typed_so(block: Block) -> None:
    if kind(block) == "commands":
        for words in commands(block.text):
            look_up(words)


@pytest.mark.parametrize(
    "block", [own for own in BLOCKS if kind(own) == "profile"], ids=lambda block: block.title
)
def test_every_profile_can_be_read(block: Block, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(block.text, encoding="utf-8")
    assert load_profile(str(tmp_path / "own.toml")).patterns


@pytest.mark.parametrize("page", PAGES)
def test_commands_and_options_in_the_text_exist(page: str) -> None:
    known = set(options_of(COMMANDS)) | OF_OTHERS
    for code in inline(page):
        assert set(re.findall(r"(?<![\w-])--[a-z][\w-]*", code)) <= known, code
        for words in commands(code) if code.startswith("groundwalk ") else ():
            parse([word for word in words[1:] if word != "..."], whole=False)


def options_of(command: Any) -> Iterator[str]:
    for parameter in command.params:
        yield from (*parameter.opts, *parameter.secondary_opts)
    for own in getattr(command, "commands", {}).values():
        yield from options_of(own)


@pytest.mark.parametrize("start", NOT_RUN)
def test_no_reason_is_given_for_what_is_not_there(start: str) -> None:
    assert any(block.text.startswith(start) for block in BLOCKS)


@pytest.mark.parametrize("page", LINKED)
def test_links_lead_somewhere(page: str) -> None:
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        assert target.exists(), link
        if anchor:
            name = target.resolve().relative_to(ROOT).as_posix()
            assert anchor in anchors(name), link


# What is run prints what the page shows.


@pytest.fixture(scope="module")
def shells(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The shell of each page, in one folder for all its blocks."""
    folder = tmp_path_factory.mktemp("docs")
    opened = dict[str, Shell]()
    with warm(folder) as open_shell:

        def shell(page: str) -> Shell:
            if page not in opened:
                own = folder / page.replace("/", "-").removesuffix(".md")
                own.mkdir()
                opened[page] = open_shell(own)
                if page in GRAPH_OF:
                    graph, _, _ = blocks(GRAPH_OF[page])[0].text.partition("\nEND\n")
                    opened[page].run(f"{graph}\nEND\n")
            return opened[page]

        yield shell


def masked(text: str) -> str:
    """A text without what the weights and the machine decide: costs and the order of walks."""
    text = re.sub(r"\b\d+(?:\.\d+)? (?:s|ms|min)\b", "_ s", text)
    text = re.sub(r"\d+ forward pass(es)?", "_ passes", text)
    text = re.sub(r"(confidence|at least|likely enough \() ?\d\.\d\d", r"\1 _", text)
    text = re.sub(r"^step .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^( *(walked|verified) ) .*\n(?: {10}.*\n)*", "", text, flags=re.MULTILINE)
    return "".join(f"{line.rstrip()}\n" for line in text.strip().splitlines())


def assert_shown(shown: str, said: str) -> None:
    """That a text is as a page shows it, where a line of dots stands for any lines."""
    wanted = re.escape(masked(shown)).replace(re.escape("...\n"), r"(?:.*\n)*?")
    if not re.fullmatch(wanted, masked(said)):
        assert masked(said) == masked(shown)


@pytest.mark.slow
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.title)
def test_a_block_does_what_the_page_says(block: Block, shells: Any) -> None:
    if reason := reason_not_run(block):
        pytest.skip(reason)
    if kind(block) == "profile":
        return
    if kind(block) == "json":
        record: Any = json.loads(block.text)
        for server in record.get("mcpServers", {}).values():
            look_up([server["command"], *server["args"]])
        return
    shell, script = shells(block.page), block.text
    if kind(block) == "python":
        (shell.folder / "block.py").write_text(block.text, encoding="utf-8")
        script = "python block.py"
    ran = shell.run(script)
    assert ran.code == 0, ran.said
    assert "Traceback" not in ran.said
    if block.shown is not None:
        assert_shown(block.shown, ran.said)


@pytest.mark.slow
def test_the_code_of_the_pages_passes_a_type_checker(tmp_path: Path) -> None:
    pytest.importorskip("pyright")
    (tmp_path / "groundwalk").mkdir()
    for part in ("agent", "cli", "data", "evaluation", "graphs"):
        (tmp_path / "groundwalk" / part).symlink_to(ROOT / part)
    for name in ("__init__.py", "py.typed"):
        (tmp_path / "groundwalk" / name).symlink_to(ROOT / "groundwalk" / name)
    written = [own for own in BLOCKS if kind(own) == "python"]
    for number, block in enumerate(written):
        (tmp_path / f"block_{number}.py").write_text(block.text, encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    files = [f"block_{number}.py" for number in range(len(written))]
    ran = subprocess.run([*command, *files], cwd=tmp_path, capture_output=True, text=True)
    assert len(written) > 5 and ran.returncode == 0, ran.stdout


def test_the_graph_of_the_tutorial_is_kept_beside_it() -> None:
    (block,) = [
        own for own in blocks("docs/tutorial.md") if own.text.startswith("cat > tutorial.ttl")
    ]
    _, _, rest = block.text.partition("\n")
    assert rest.rpartition("END\n")[0] == (ROOT / "docs/tutorial.ttl").read_text(encoding="utf-8")


def test_the_first_screen_is_short_and_its_commands_come_first() -> None:
    assert len(read("README.md").splitlines()) <= 130
    run = [block for block in blocks("README.md") if block.text.startswith("./dev")]
    assert [words[:2] for words in commands(run[0].text)] == [["./dev", "ask"], ["./dev", "test"]]
    assert "./dev test " in read(".ci/run")


# The test itself can fail.


@pytest.mark.parametrize(
    "lie",
    [
        ["groundwalk", "asc", "Who?"],
        ["groundwalk", "verify"],
        ["groundwalk", "ask", "--kgs", "x", "Who?"],
        ["groundwalk", "eval", "run", "--dataset", "world", "--out", "x", "--workers", "many"],
        ["./dev", "fly"],
        ["pip", "install", ".[wings]"],
        ["python", "-m", "groundwalk.wings"],
        ["rm", "-r", "x"],
    ],
    ids=" ".join,
)
def test_what_cannot_be_typed_is_found(lie: list[str]) -> None:
    with pytest.raises(AssertionError):
        look_up(lie)


def test_another_output_is_found() -> None:
    said = "Oslo\n\n1 triple, each verified in x · confidence 0.91 · 3 forward passes · 0.20 s\n"
    assert_shown(said.replace("0.91", "0.55").replace("0.20", "7.31"), said)
    assert_shown(
        "...\n1 triple, each verified in x · confidence 0.10 · 1 forward pass · 1 s\n", said
    )
    for lie in (said.replace("Oslo", "Lima"), said.replace("1 triple", "2 triples"), "Oslo\n", ""):
        with pytest.raises(AssertionError):
            assert_shown(lie, said)


def test_commands_are_read_as_a_shell_does(tmp_path: Path) -> None:
    script = "cat > a <<'END'\nx | y\nEND\na --b \\\n  'c d' | e < f || g \"$?\" > h\n"
    assert commands(script) == [["cat"], ["a", "--b", "c d"], ["e"], ["g", "$?"]]
    assert "groundwalk kg info" in read("docs/graphs.md")
