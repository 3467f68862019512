"""Faults of the disk: full, or not to be written; a process meets them in a small file system."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from groundwalk.agent.conversation.threads import close_threads, open_threads, thread_turns
from groundwalk.agent.options import Options
from groundwalk.cli.session import Session, run

from ..whole import build_graph
from .trials import NEXT, QUESTION, Bench, Outcome, Trial, answers, ask

GRAPH = """@prefix : <https://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:ada rdfs:label "Ada" ; :works_for :acme .
:acme rdfs:label "Acme" ; :based_in :oslo .
:oslo rdfs:label "Oslo" .
"""
_SMALL_DISK = (
    'mount -t tmpfs -o "size=$SIZE" tmpfs "$DISK" && cp -r "$FILLED/." "$DISK" && '
    '{ [ -z "$READ_ONLY" ] || mount -o remount,ro "$DISK"; } && exec "$@"'
)
_COMMAND = [sys.executable, "-c", "from groundwalk.cli.main import main; main()"]


class Disk(NamedTuple):
    """A file system of a size as tmpfs takes it; nobody may write where it is `closed`."""

    size: str = "64k"
    closed: bool = False


FULL, CLOSED = Disk(), Disk("1m", closed=True)


class Ran(NamedTuple):
    """A process that has ended."""

    code: int
    out: str
    err: str


@cache
def mounts() -> bool:
    """Whether small file systems can be made here: as root, or in a namespace of one's own."""
    if not sys.platform.startswith("linux") or shutil.which("unshare") is None:
        return False
    with tempfile.TemporaryDirectory() as root:
        return _on_disk(Path(root), FULL, ["true"]).code == 0


def _on_disk(
    root: Path,
    disk: Disk,
    command: Sequence[str],
    *,
    say: str = "",
    variables: Mapping[str, str] | None = None,
) -> Ran:
    """Run a command that sees `disk` at root/disk; what it writes there is gone afterwards."""
    own, filled = root / "disk", root / "filled"
    own.mkdir(exist_ok=True)
    filled.mkdir(exist_ok=True)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GROUNDWALK_")}
    environment |= {"SIZE": disk.size, "DISK": str(own), "FILLED": str(filled), "COLUMNS": "200"}
    environment |= {"READ_ONLY": "1" if disk.closed else "", "OMP_NUM_THREADS": "1"}
    environment |= {"GROUNDWALK_CACHE": str(_cache()), **(variables or {})}
    namespace = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "-rm"]
    ran = subprocess.run(
        [*namespace, "sh", "-c", _SMALL_DISK, "sh", *command],
        input=say,
        capture_output=True,
        text=True,
        env=environment,
        cwd=root,
        timeout=300,
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr)


@cache
def _cache() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="groundwalk-faults-")
    _KEPT.append(folder)
    return Path(folder.name)


_KEPT: list["tempfile.TemporaryDirectory[str]"] = []
"""Folders that go with the process."""

Check = Callable[[Outcome, Ran], None]


def fails_in(
    disk: Disk, code: int, *arguments: str, says: str, shell: str = "", **variables: str
) -> Trial:
    """A command that meets a disk and ends in a line; `@` stands for the folder of the disk.

    The line is on standard error, and has `says` in it; `shell` goes behind the command.
    """

    def trial(_: Bench) -> Outcome:
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            (root / "my.ttl").write_text(GRAPH, encoding="utf-8")
            ran = _on_disk(
                root,
                disk,
                _command(root, arguments, shell),
                variables={k: v.replace("@", str(root / "disk")) for k, v in variables.items()},
            )
        out = Outcome(f"exit {ran.code}", (ran.err or ran.out).strip().replace(name, "..."))
        _no_trace(out, ran)
        lines = [line for line in ran.err.splitlines() if line.strip()]
        out.expect(len(lines) == 1, f"{len(lines)} lines of errors")
        out.expect(ran.code == code, f"exit code {ran.code}, not {code}")
        out.expect(says in out.line, f"nothing of {says!r}")
        return out

    return trial


def answers_on(disk: Disk, *arguments: str, **variables: str) -> Trial:
    """A question that a disk does not keep from its answer."""

    def trial(_: Bench) -> Outcome:
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            (root / "my.ttl").write_text(GRAPH, encoding="utf-8")
            ran = _on_disk(
                root,
                disk,
                _command(root, arguments, ""),
                variables={k: v.replace("@", str(root / "disk")) for k, v in variables.items()},
            )
        line = " ".join((ran.out + ran.err).split()).replace(name, "...")
        out = Outcome("answered" if ran.code == 0 else f"exit {ran.code}", line)
        _no_trace(out, ran)
        out.expect(ran.code == 0, f"exit code {ran.code}")
        out.expect("Paris" in ran.out, "no answer")
        return out

    return trial


def chat_on(disk: Disk, command: str, *, says: str) -> Trial:
    """A conversation in which something is not written, and that goes on."""

    def trial(_: Bench) -> Outcome:
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            own = str(root / "disk")
            lines = [QUESTION, command.replace("@", own), NEXT]
            ran = _on_disk(
                root,
                disk,
                [*_COMMAND, "chat"],
                say="\n".join(lines) + "\n",
            )
        told = [line for line in ran.out.splitlines() if says in line]
        line = told[0].strip() if told else " ".join((ran.out + ran.err).split())
        out = Outcome(f"exit {ran.code}", line.replace(name, "..."))
        _no_trace(out, ran)
        out.expect(ran.code == 0, f"exit code {ran.code}")
        out.expect(bool(told), f"nothing of {says!r}")
        out.expect("Paris" in ran.out and "Spain" in ran.out, "no answer before, or none after")
        return out

    return trial


def thread_on_a_full_disk(bench: Bench) -> Outcome:
    """The database of threads grows no more; then there is room again, and a turn is kept."""
    with tempfile.TemporaryDirectory() as name:
        saver = open_threads(Path(name) / "threads.sqlite")
        try:
            graph = build_graph(kg=bench.kg, generator=bench.local, checkpointer=saver)
            session = Session(bench.kg, graph, Options(on_ambiguous="error"))
            pages = "PRAGMA max_page_count = "
            saver.conn.execute(pages + "1")  # no more than there are already
            seen = ask(Turns(session), QUESTION)
            out = Outcome(seen.status, seen.line)
            bench.judge(out, seen)
            out.expect(answers(seen) == bench.right(QUESTION), "other answers")
            out.expect("could not be kept" in seen.line, "not a word of it")
            saver.conn.execute(pages + "100000")
            bench.next_is_right(out, Turns(session))
            kept = [turn["question"] for turn in thread_turns(saver, "mine")]
            out.expect(kept == [NEXT], f"kept: {kept}")
        finally:
            close_threads(saver)
    return out


class Turns(NamedTuple):
    """Asks as the command line does, in a thread that is kept."""

    session: Session

    def invoke(self, turn: Mapping[str, Any]) -> Any:
        question: str = turn["question"]
        return [*run(self.session, question, "mine", lambda _: "none")][-1]


def _command(root: Path, arguments: Sequence[str], shell: str) -> list[str]:
    given = [own.replace("@", str(root / "disk")) for own in arguments]
    if not shell:
        return [*_COMMAND, *given]
    return ["sh", "-c", f'"$@" {shell.replace("@", str(root / "disk"))}', "sh", *_COMMAND, *given]


def _no_trace(out: Outcome, ran: Ran) -> None:
    for words in ("Traceback", "internal error", "Exception"):
        out.expect(words not in ran.out + ran.err, f"it says {words!r}")
