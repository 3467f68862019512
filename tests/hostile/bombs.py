"""Small files that are large, or deep, once they are read."""

import gzip
import json
import os
import resource
import sys
from importlib import import_module
from pathlib import Path

N = 200_000
XML = b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:">'


def laughs() -> bytes:
    """Entities of XML, each ten times the one before it."""
    each = (b'<!ENTITY a%d "%s">' % (i, b"&a%d;" % (i - 1) * 10) for i in range(1, 12))
    doctype = b'<!DOCTYPE r [<!ENTITY a0 "aaaaaaaaaa">' + b"".join(each) + b"]>"
    body = b'<rdf:Description rdf:about="urn:a"><e:p>&a11;</e:p></rdf:Description></rdf:RDF>'
    return doctype + XML + body


def packed(unit: bytes, megabytes: int) -> bytes:
    """A gzip file of one unit again and again."""
    block = gzip.compress(unit * ((1 << 20) // len(unit)), 9)
    return block * megabytes


BOMBS = {
    "graphs/deep.jsonld": lambda: b'{"@id":"urn:a","urn:p":' * N,
    "graphs/deep.nt": lambda: (
        b"<urn:a> <urn:p> " + b"<<( <urn:a> <urn:p> " * N + b"<urn:b>" + b" )>>" * N + b" .\n"
    ),
    "graphs/laughs.rdf": laughs,
    "graphs/hidden.rdf": lambda: b"<!--" + b" <a> " * N + b"-->" + laughs(),
    "graphs/line.kb.gz": lambda: packed(b"a", 80),
    "questions/line.jsonl.gz": lambda: packed(b"a", 80),
    "questions/deep.jsonl": lambda: b"[" * N,
    "questions/deep.json": lambda: b'{"question":' * N,
}
"""Each by its folder, which says what it is read as, and the name of its file."""


def opens(file: Path) -> None:
    """Read the file as what its folder says it is, as the user would."""
    from groundwalk.agent.kg import open_kg
    from groundwalk.evaluation.datasets import read_samples

    if file.parent.name == "graphs":
        open_kg(str(file), cache=file).close()
    else:
        read_samples("jsonl", file)


def told(name: str, folder: Path, most: int) -> str:
    """Write a bomb into a folder and read it in so many bytes more: what the user is told."""
    from groundwalk.agent.errors import InputError

    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(BOMBS[name]())
    before = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (before + most, before + most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        opens(file)
    except InputError as error:
        return error.message
    return "was read"


def main(folder: Path, most: int) -> None:
    """Read each bomb in a process of its own, and print a line of JSON for it.

    It has the exit code of the process and what the user was told. The processes are forked from
    one that has the libraries already: what is imported counts for nothing.
    """
    for name in ("agent.kg.stores.rdflib_graph", "evaluation.datasets"):
        import_module(f"groundwalk.{name}")
    for name in BOMBS:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(writing, told(name, folder, most).encode())
            os._exit(0)
        os.close(writing)
        with open(reading, encoding="utf-8") as pipe:
            message = pipe.read()
        _, status = os.waitpid(child, 0)
        print(json.dumps([name, os.waitstatus_to_exitcode(status), message]), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
