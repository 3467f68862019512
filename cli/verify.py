"""`groundwalk verify`: chains of any system, checked triple by triple against a KG."""

import contextlib
import os
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..agent.errors import InputError
from . import options as o

if TYPE_CHECKING:
    from ..agent.kg import Verdict

_BROKEN_PIPE = 141
"""What a shell calls a program that ended by SIGPIPE."""


def verify(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The claims; - is standard input.")],
    kg: o.KG = None,
    profile: o.Profile = "generic",
    graph: o.Graphs = None,
    language: o.Language = None,
    on_broken: o.OnBroken = "fail",
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
    from ..agent.kg import language_tags, load_profile, open_kg
    from ..agent.kg.checks import Unclear, check_records
    from ..agent.kg.claim_lines import (
        SHAPE,
        read_records,
        to_line,
        unclear_fields,
        verified_fields,
    )
    from ..agent.kg.claims import Inquiry
    from ..agent.kg.names import one_line
    from ..agent.settings import read_settings

    broken = o.on_broken_of(on_broken)
    settings = read_settings()
    if kg is None and "kg" not in settings.model_fields_set:
        raise InputError("no knowledge graph was named", "give --kg a file, a folder or `world`")
    name = "standard input" if file == "-" else file
    records = read_records(_lines(file), name)
    first = next(records, None)
    if first is None:
        raise InputError(f"{name} holds no claims", SHAPE)
    chains: Counter[Verdict] = Counter()
    answers: Counter[Verdict] = Counter()
    errors: list[InputError] = []
    with contextlib.closing(
        open_kg(
            settings.kg if kg is None else kg,
            profile=load_profile(profile),
            graphs=graph or (),
            languages=language_tags(settings.language if language is None else language),
            on_broken=broken,
        )
    ) as opened:
        if opened.left_out.note:
            typer.echo(one_line(opened.left_out.note), err=True)
        inquiry = Inquiry(opened.store)
        for checked in check_records(chain([first], records), inquiry, opened.labels):
            if isinstance(checked, Unclear):
                errors.append(checked.error)
                _print(to_line(unclear_fields(*checked)))
                continue
            for judged in checked.verdicts:
                chains.update(found.verdict for found in judged.chains)
                answers.update(judged.answers)
            _print(to_line(verified_fields(*checked)))
    if not quiet:
        requests = _number(inquiry.requests, "request")
        asked = f"{_number(inquiry.triples, 'triple')} asked in {requests}"
        asked += f"; not answered: {inquiry.failure}" if inquiry.failure else ""
        typer.echo(f"{_counted(chains, 'chain')}; {_counted(answers, 'answer')}; {asked}", err=True)
    if errors:
        others = f", and {_number(len(errors) - 1, 'line')} more" if len(errors) > 1 else ""
        raise InputError(f"{errors[0].message}{others}", errors[0].hint)
    for verdict, code in (("unsupported", 1), ("unknown", 3)):
        if verdict in chains or verdict in answers:
            raise typer.Exit(code)


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
    return f"{_number(verdicts.total(), what)}: " + ", ".join(f"{verdicts[k]:,} {k}" for k in kinds)


def _number(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
