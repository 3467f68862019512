"""`groundwalk verify`: chains of any system, checked triple by triple against a KG."""

import contextlib
import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..agent.errors import InputError
from . import options as o
from .terminal import count

if TYPE_CHECKING:
    from ..agent.kg import Verdict
    from ..agent.kg.verification.checks import Checked, Unclear
    from ..agent.kg.verification.claims import Inquiry

_BROKEN_PIPE = 141
"""What a shell calls a program that ended by SIGPIPE."""


@o.takes_options
def verify(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The claims; - is standard input.")],
    *,
    source: Annotated[o.Source, o.Without("mediators", "infer")],
    as_json: Annotated[bool, typer.Option("--json", help="Print errors as JSON too.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no summary.")] = False,
) -> None:
    """Look up every triple of the chains of any system in a knowledge graph.

    FILE has JSON lines with "topics", a "chain" of triples (head, relation,
    tail) and "answers", or what `groundwalk ask --json` prints. Entities and
    relations are N-Triples terms, or labels that no other has.

    Each line is printed with its verdicts: supported, unsupported, or unknown
    where the graph did not answer. Supported means true, not relevant to a
    question. Where several terms have a label, the line has an "error" instead.
    Exit code: 2 where any line has an error, else 1 where any verdict is
    unsupported, else 3 where any is unknown.
    """
    from ..agent.kg import open_kg
    from ..agent.kg.labels.names import one_line
    from ..agent.kg.verification.checks import check_records
    from ..agent.kg.verification.claim_lines import SHAPE, read_records
    from ..agent.kg.verification.claims import Inquiry
    from ..agent.settings import read_settings

    source.broken_statements()
    name = "standard input" if file == "-" else file
    records = read_records(_lines(file), name)
    first = next(records, None)
    if first is None:
        raise InputError(f"{name} holds no claims", SHAPE)
    address = read_settings().kg if source.kg is None else source.kg
    with contextlib.closing(open_kg(address, **source.parsing())) as kg:
        if kg.left_out.note:
            typer.echo(one_line(kg.left_out.note), err=True)
        inquiry = Inquiry(kg.store, kg.prove)
        checking = check_records(chain([first], records), inquiry, kg.labels, kg.profile.skipped)
        tally = _printed(checking)
    if not quiet:
        typer.echo(tally.summary(inquiry), err=True)
    if errors := tally.errors:
        others = f", and {count(len(errors) - 1, 'line')} more" if len(errors) > 1 else ""
        raise InputError(f"{errors[0].message}{others}", errors[0].hint)
    for verdict, code in (("unsupported", 1), ("unknown", 3)):
        if verdict in tally.chains or verdict in tally.answers:
            raise typer.Exit(code)


@dataclass
class _Tally:
    """The verdicts of all lines, and the errors of those that could not be looked up."""

    chains: "Counter[Verdict]" = field(default_factory=Counter)
    answers: "Counter[Verdict]" = field(default_factory=Counter)
    errors: list[InputError] = field(default_factory=list)

    def summary(self, inquiry: "Inquiry") -> str:
        """What came of the lines, and how often the graph was asked."""
        requests = count(inquiry.requests, "request")
        asked = f"{count(inquiry.triples, 'triple')} asked in {requests}"
        asked += f"; not answered: {inquiry.failure}" if inquiry.failure else ""
        return f"{_counted(self.chains, 'chain')}; {_counted(self.answers, 'answer')}; {asked}"


def _printed(checking: "Iterator[Checked | Unclear]") -> _Tally:
    """Print each line with its verdicts as soon as they are known."""
    from ..agent.kg.verification.checks import Unclear
    from ..agent.kg.verification.claim_lines import to_line, unclear_fields, verified_fields

    tally = _Tally()
    for checked in checking:
        if isinstance(checked, Unclear):
            tally.errors.append(checked.error)
            _print(to_line(unclear_fields(*checked)))
            continue
        for verdicts in checked.verdicts:
            tally.chains.update(judged.verdict for judged in verdicts.chains)
            tally.answers.update(verdicts.answers)
        _print(to_line(verified_fields(*checked)))
    return tally


def _print(line: str) -> None:
    """Print a line at once; end as a tool in a pipe does where nobody reads on."""
    try:
        sys.stdout.buffer.write(f"{line}\n".encode())
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at the exit
        raise typer.Exit(_BROKEN_PIPE) from None


def _lines(file: str) -> Iterator[bytes]:
    """The lines of a file. Raises InputError when it cannot be read."""
    if file == "-":
        yield from sys.stdin.buffer
        return
    try:
        with Path(file).open("rb") as lines:
            yield from lines
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise InputError(f"{file} cannot be read: {reason}", "check the path") from None


def _counted(verdicts: "Counter[Verdict]", what: str) -> str:
    kinds = ("supported", "unsupported", "unknown")
    return f"{count(verdicts.total(), what)}: " + ", ".join(f"{verdicts[k]:,} {k}" for k in kinds)
