"""Makes the README's pictures again: `./dev screenshots`, or `python -m docs.screenshots`.

chat.svg is what a pseudo-terminal shows of a real conversation; evidence.png is a page of
`ask --explain html` in headless Chromium, which `CHROMIUM` may name.
"""

import io
import os
import subprocess
import sys
import tempfile
from itertools import groupby
from pathlib import Path

from pyte.screens import Char, Screen
from rich.console import Console
from rich.style import Style
from rich.text import Text

from tests.cli.chat.session import environment
from tests.cli.chat.terminal import Terminal

HERE = Path(__file__).parent
CHAT = "import sys; sys.argv = ['groundwalk', 'chat']; from groundwalk.cli.main import main; main()"
ASK = "from groundwalk.cli.main import main; main()"
SAID = (
    "Which countries border Austria?",
    "which of them use the euro?",
    "and their capitals?",
    "/why 1",
    "What is the population of Kenya?",
)
QUESTION = "Which countries border the country whose capital is Vienna?"
ROWS, COLUMNS = 90, 110

FRAME = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">
<title>groundwalk chat in a terminal</title>
<style>
.{unique_id}-matrix {{ font: {char_height}px ui-monospace, Menlo, Consolas, monospace; }}
.{unique_id}-title {{ font: bold 18px sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""A frame that loads no fonts: the file needs nothing from anywhere."""


def chat_picture(home: Path) -> str:
    """A conversation on a terminal, as SVG."""
    with Terminal(CHAT, environment(home), home, rows=ROWS, columns=COLUMNS) as terminal:
        line = -1
        for said in SAID:
            terminal.wait_for_prompt("you > ", after=line)
            line = terminal.screen.cursor.y
            terminal.type(f"{said}\r")
        terminal.wait_for_prompt("you > ", after=line)
        lines = _drawn(terminal.screen)
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    for text in lines:
        console.print(text, soft_wrap=True)
    return console.export_svg(title="groundwalk chat", code_format=FRAME, unique_id="chat")


def evidence_picture(home: Path, file: Path) -> None:
    """A page of evidence, as a browser shows it."""
    page = home / "evidence.html"
    command = [sys.executable, "-c", ASK, "ask", QUESTION, "--explain", "html"]
    with page.open("wb") as written:
        subprocess.run(command, stdout=written, env=environment(home), cwd=home, check=True)
    browser = [os.environ.get("CHROMIUM", "chromium"), "--headless", "--no-sandbox"]
    given = ["--disable-gpu", "--hide-scrollbars", "--window-size=1200,1000"]
    said = [f"--user-data-dir={home / 'browser'}", f"--screenshot={file}", page.as_uri()]
    subprocess.run([*browser, *given, *said], check=True, capture_output=True)


def _drawn(screen: Screen) -> list[Text]:
    """The lines of a screen with their styles, as far as the cursor."""
    lines = list[Text]()
    for y in range(screen.cursor.y + 1):
        row = [screen.buffer[y][x] for x in range(screen.columns)]
        runs = groupby(row, key=_style)
        text = Text.assemble(*(("".join(c.data for c in run), style) for style, run in runs))
        text.rstrip()
        lines.append(text)
    return lines


def _style(cell: Char) -> Style:
    colour = cell.fg if cell.fg != "default" else None
    if colour and len(colour) == 6 and all(c in "0123456789abcdef" for c in colour.lower()):
        colour = f"#{colour}"
    colour = {"brown": "yellow"}.get(colour or "", colour)
    return Style(color=colour, bold=cell.bold, italic=cell.italics, reverse=cell.reverse)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (HERE / "chat.svg").write_text(chat_picture(home), encoding="utf-8")
        evidence_picture(home, HERE / "evidence.png")
