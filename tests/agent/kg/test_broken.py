"""What is kept of a file with broken statements is the file without them, and nothing else."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pyoxigraph as ox
import pytest
from groundwalk.agent.errors import KGError
from groundwalk.agent.kg import LeftOut, build, open_kg
from groundwalk.agent.kg.files.readers import read_quads
from groundwalk.agent.kg.files.sources import find_sources
from groundwalk.agent.kg.files.statements import BrokenStatements
from groundwalk.agent.kg.nodes import to_any_node, to_term
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

MANY = settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])


class Part(NamedTuple):
    """A statement as a format writes it; how many broken ones it counts as, 0 where it is whole."""

    text: str
    broken: int = 0


WORDS = st.sampled_from(["a", "b", "c.d", "e-f", "é", "g_h"])
PIECES = ["x", " ", ". ", "#", "'", "<", ">", "{", "}", "[", "é", "@", ";", "<<(", "|", '\\"']
TEXTS = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
BAD_IRIS = st.sampled_from(["urn:<x", "urn:a b", "urn:a. b", "urn:{x}", "urn:x|", "no:|^", "urn:`"])


def lines(word: str, text: str, bad: str) -> list[Part]:
    return [
        Part(f"<urn:{word}> <urn:p> <urn:o> .\n"),
        Part(f'<urn:{word}> <urn:p> "{text}"@en .\n'),
        Part(f'_:{word} <urn:p> "{text}" . # {text}\n'),
        Part(f"# {text}\n"),
        Part(f"<{bad}> <urn:p> <urn:o> .\n", 1),
        Part(f"<urn:{word}> <urn:p> .\n", 1),
        Part(f'<urn:{word}> <urn:p> "{text}\\q" .\n', 1),
        Part(f'<urn:{word}> <urn:p> "{text}\n', 1),
        Part(f'<urn:{word}> <urn:p> "{text}"@e_n .\n', 1),
    ]


def turtle(word: str, text: str, bad: str) -> list[Part]:
    return [
        Part(f"e:{word} e:p e:o .\n"),
        Part(f'e:{word} e:p "{text}"@en , """{text}\n. {text}""" ; e:q 1.5 , .5 .\n'),
        Part(f"e:{word} e:p e:o. e:{word} a e:T ."),
        Part(f"<urn:x>\n<urn:p>\n'''{text.replace(chr(39), '')}\n''' ; .\n"),
        Part(f"# {text} . \n"),
        Part(f"@prefix f: <http://{'f' if word == 'a' else 'g'}/> .\n"),
        Part(f"PREFIX g: <http://e/{'f' if word == 'a' else 'g'}>\n"),
        Part(f'f:{word} e:p "{text}"^^g:t .\n'),
        Part(f"e:{word} e:p e:o\\. . e:x e:p e:{word} .<urn:y> e:p e:{word}.\n"),
        Part("<< e:a e:b e:c ~ e:r >> e:p <<( e:a e:b e:c )>> .\n"),
        Part("e:a e:b e:c ~ e:s {| e:p e:o . |} .\n", 1),
        Part("e:a e:b e:c ~ e:s {| e:p e:o |} .\n"),
        Part(f"<{bad}> e:p e:o ; e:q e:r .\n", 1),
        Part(f'e:{word} e:p "{text}\\q. " .\n', 1),
        Part(f"e:{word} no:p e:o .\n", 1),
        Part(f"e:{word}\n e:p , .\n", 1),
        Part(f'e:{word} e:p "{text}"@e_n .\n', 1),
        Part("e:a e:p ] .\n", 1),
    ]


PROLOGUE = "@prefix e: <http://e/> . @prefix f: <http://f/> . @prefix g: <http://g/> .\n"


def kept(path: Path) -> tuple[list[str], LeftOut]:
    broken = BrokenStatements("skip")
    quads = list(read_quads(find_sources(path), broken=broken))
    for quad in quads:
        for node in quad.triple:
            to_any_node(to_term(node))
            str(node)
    return [" ".join(map(to_term, quad.triple)) for quad in quads], broken.left_out


def whole(path: Path) -> list[str]:
    quads = read_quads(find_sources(path))
    return [" ".join(map(to_term, quad.triple)) for quad in quads]


def parts(of: Callable[[str, str, str], list[Part]]) -> st.SearchStrategy[list[Part]]:
    one = st.builds(of, WORDS, TEXTS, BAD_IRIS).flatmap(st.sampled_from)
    return st.lists(one, max_size=12)


def compare(folder: Path, name: str, first: str, made: list[Part], last: str = "") -> None:
    (folder / name).write_text(first + "".join(p.text for p in made) + last, encoding="utf-8")
    found, left_out = kept(folder / name)
    good = "".join(p.text for p in made if not p.broken)
    (folder / name).write_text(first + good + last, encoding="utf-8")
    assert found == whole(folder / name)
    assert left_out.statements == sum(p.broken for p in made)


@pytest.mark.parametrize("name", ["kg.nt", "kg.nq"])
@MANY
@given(made=parts(lines))
def test_lines(tmp_path: Path, name: str, made: list[Part]) -> None:
    compare(tmp_path, name, "<urn:s> <urn:p> <urn:o> .\n", made)


@MANY
@given(made=parts(turtle))
def test_turtle(tmp_path: Path, made: list[Part]) -> None:
    compare(tmp_path, "kg.ttl", PROLOGUE + "e:s e:p e:o .\n", made)


@MANY
@given(made=parts(turtle))
def test_trig(tmp_path: Path, made: list[Part]) -> None:
    """The same in a graph, where no prefix can be declared, and half of it outside."""
    made = [part for part in made if "refix" not in part.text and "PREFIX" not in part.text]
    half = Part("\n} GRAPH e:h { }\n")
    first = PROLOGUE + "e:s e:p e:o . # {\ne:g {\n"
    compare(tmp_path, "kg.trig", first, [*made[:6], half, *made[6:]], "{e:l e:p e:o} e:w e:w e:w .")


def xml(word: str, _: str, bad: str) -> list[Part]:
    escaped = bad.replace("<", "&lt;")
    return [
        Part(
            f'<rdf:Description rdf:about="urn:{word}">\n<e:p rdf:resource="x"/></rdf:Description>'
        ),
        Part(f'<rdf:Description rdf:about="urn:s"><e:p>{word}</e:p>\n</rdf:Description>'),
        Part(f'<rdf:Description rdf:about="{escaped}"><e:p>t</e:p></rdf:Description>\n', 1),
        Part(f'<rdf:Description><e:p rdf:resource="{escaped}"/></rdf:Description>\n', 1),
        Part('<rdf:Description rdf:about="urn:s"><e:p xml:lang="e_n">t</e:p></rdf:Description>', 1),
    ]


@MANY
@given(made=parts(xml))
def test_rdf_xml(tmp_path: Path, made: list[Part]) -> None:
    first = (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">'
        '<rdf:Description rdf:about="urn:s"><e:p rdf:resource="urn:o"/></rdf:Description>\n'
    )
    compare(tmp_path, "kg.rdf", first, made, "</rdf:RDF>")


def json_ld(word: str, text: str, bad: str) -> list[Part]:
    own: list[tuple[Any, int]] = [
        ({"@id": f"urn:{word}", "e:p": {"@id": "e:o"}, "ignored": 1}, 0),
        ({"@id": "x", "e:p": [{"@value": text, "@language": "en"}, 1.5], "@type": "e:T"}, 0),
        ({"@id": "urn:s", "@graph": [{"@id": f"e:{word}", "e:p": text}]}, 0),
        ({"@id": bad, "e:p": {"@id": "e:o"}}, 1),
        ({"@id": "e:x", "e:p": {"@id": f"e:{bad}"}}, 1),
        ({"@id": "e:x", "e:p": {"@value": text, "@type": bad}}, 1),
        ({"@id": "e:x", "e:p": {"@value": text, "@language": "e_n"}}, 1),
        ({"@id": "e:x", "@type": bad}, 1),
    ]
    context = {"e": "http://e/"}
    return [Part(json.dumps({"@context": context, **node}), broken) for node, broken in own]


@MANY
@given(made=parts(json_ld))
def test_json_ld(tmp_path: Path, made: list[Part]) -> None:
    """Of whole documents, what this reads is what the parser reads that checks all itself."""
    whole_ones = [part.text for part in made if not part.broken]
    file = tmp_path / "kg.jsonld"
    first = '{"@id": "urn:s", "urn:p": {"@id": "urn:o"}}'
    file.write_text(f"[{', '.join([first, *(part.text for part in made)])}]", encoding="utf-8")
    found, left_out = kept(file)
    strict = ox.parse(
        f"[{', '.join([first, *whole_ones])}]", ox.RdfFormat.JSON_LD, base_iri="file:///kg"
    )
    assert found == [" ".join(map(to_term, quad.triple)) for quad in strict]
    assert left_out.statements == sum(part.broken for part in made)


TABLE = "a|p|b\nc|p\n|p|x\nd|p|e\nf|p|g|h\nb|p|d\n"


def test_tables(tmp_path: Path) -> None:
    file = tmp_path / "kb.txt"
    file.write_bytes(TABLE.encode() + b"\xff|p|x\n")
    found, left_out = kept(file)
    file.write_text("a|p|b\nd|p|e\nb|p|d\n", encoding="utf-8")
    assert found == whole(file)
    assert left_out == LeftOut(
        4,
        (
            "kb.txt, line 2: expected head|relation|tail, found 2 columns",
            "kb.txt, line 3: expected head|relation|tail, found an empty name",
            "kb.txt, line 5: expected head|relation|tail, found 4 columns",
        ),
    )
    assert left_out.note.startswith(
        "4 broken statements were left out of the graph: kb.txt, line 2"
    )


XML = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">
<rdf:Description rdf:about="http://e/a">
<e:p rdf:resource="http://e/b"/>
<e:p rdf:resource="http://e/&lt;b"/>
</rdf:Description>
</rdf:RDF>
"""
BROKEN = {
    "kg.ttl": ("@prefix e: <http://e/> .\ne:a e:p e:b .\n\n# c\ne:a\n e:p <urn:<x> .\n", 6),
    "kg.trig": ("@prefix e: <http://e/> .\ne:g {\ne:a e:p e:b .\ne:a e:p <urn:<x> }\n", 4),
    "kg.nt": ("<urn:a> <urn:p> <urn:b> .\n\n<urn:a> <urn:p> <urn:<x> .\n", 3),
    "kg.nq": ("<urn:a> <urn:p> <urn:b> .\n<urn:a> <urn:p> <urn:<x> <urn:g> .\n", 2),
    "kg.rdf": (XML, 4),
    "kg.jsonld": ('{"@id": "urn:a",\n"urn:p": [{"@id": "urn:b"},\n{"@id": "urn:<x"}]}\n', 3),
    "kg.tsv": ("a\tp\tb\n\nc\tp\n", 3),
}


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("name", BROKEN)
def test_the_line_is_named_whether_refused_or_left_out(
    tmp_path: Path, name: str, packed: str
) -> None:
    text, line = BROKEN[name]
    (tmp_path / "in").mkdir()
    file = tmp_path / "in" / (name + packed)
    file.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    place = f"{file.name}, line {line}: "
    for path in (file, file.parent) if name != "kg.tsv" else (file,):
        with pytest.raises(KGError) as caught:
            whole(path)
        assert caught.value.message.startswith(place)
        assert "--on-broken skip" in caught.value.hint or name == "kg.tsv"
        found, left_out = kept(path)
        assert len([triple for triple in found if "label" not in triple]) == 1
        assert left_out.statements == 1 and left_out.first[0].startswith(place)


UNSURE = {
    "a string in a line": ('e:a e:p "x\n. e:b e:p e:c .\ny" .\n', 3, "a string does not end"),
    "a string of lines": ('e:a e:p """x\n. e:b e:p e:c .\n', 3, "a string in three quotes"),
    "an iri": ("e:a e:p <urn:x .\ne:b e:p e:c .\n", 3, "an IRI does not end"),
    "an iri, and a string": ('e:a e:p <urn:x e:q "> . e:b e:p e:c . " .\n', 3, "a quote in it"),
    "a bracket": ("e:a e:p [ e:q e:r .\ne:b e:p e:c .\n", 3, "a bracket that is not closed"),
    "a prefix": ("@prefix e: <urn:a b> .\ne:b e:p e:c .\n", 3, "Invalid IRI code point"),
    "a prefix behind": ("e:a e:p e:b\n@prefix e: <urn:x> .\ne:b e:p e:c .\n", 4, ""),
    "a base": ("BASE <urn:a b>\n<b> e:p e:c .\n", 3, "Invalid IRI code point"),
}


@pytest.mark.parametrize("kind", UNSURE)
def test_what_does_not_surely_end_or_changes_the_rest_is_refused(tmp_path: Path, kind: str) -> None:
    """No text of a string is read as a statement, and no name under another prefix."""
    text, line, words = UNSURE[kind]
    for name in ("kg.ttl", "kg.trig"):
        file = tmp_path / name
        file.write_text(f"@prefix e: <http://e/> .\ne:s e:p e:o .\n{text}", encoding="utf-8")
        with pytest.raises(KGError) as caught:
            kept(file)
        assert caught.value.message.startswith(f"{name}, line {line}: ")
        assert words in caught.value.message and caught.value.hint.startswith("correct it: ")


@pytest.mark.parametrize("text", ["e:g { e:a e:p e:b . e:c e:p e:d", "e:a e:p e:b } e:c e:p e:d ."])
def test_the_braces_of_trig_must_match(tmp_path: Path, text: str) -> None:
    file = tmp_path / "kg.trig"
    file.write_text(f"@prefix e: <http://e/> .\n{text}", encoding="utf-8")
    with pytest.raises(KGError, match=r"^kg.trig, line 2: a "):
        kept(file)


def test_xml_that_is_none_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "kg.rdf"
    file.write_text(
        XML.replace("&lt;", "").replace("</rdf:Description>", "<e:p>"), encoding="utf-8"
    )
    for read in (whole, kept):
        with pytest.raises(KGError, match=r"^kg.rdf, line 6: "):
            read(file)


def test_shortened_names_of_json_ld_are_found(tmp_path: Path) -> None:
    file = tmp_path / "kg.jsonld"
    context = '{"@context": {"e": "http://e/x/"},\n"@graph": [\n{"@id": "e:a",\n'
    file.write_text(f'{context}"e:p": {{"@id": "e:b c"}}}}]}}', encoding="utf-8")
    with pytest.raises(KGError, match=r"^kg.jsonld, line 4: 'http://e/x/b c' is not an IRI"):
        whole(file)


@pytest.mark.parametrize("name", ["kg.nt", "kg.ttl"])
def test_a_literal_that_the_parser_does_not_hold(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    good = "<urn:a> <urn:p> <urn:b> .\n"
    file.write_text(f'{good}\n<urn:a> <urn:p> "{"x" * (17 << 20)}" .\n{good}', encoding="utf-8")
    with pytest.raises(KGError, match="line 3: a literal or an IRI is longer than 16 MiB"):
        whole(file)
    found, left_out = kept(file)
    assert len(found) == 2
    assert left_out.first == (f"{name}, line 3: a literal or an IRI is longer than 16 MiB",)


def test_json_that_is_deep_is_refused_and_brackets_in_strings_are_not(tmp_path: Path) -> None:
    file = tmp_path / "kg.jsonld"
    text = json.dumps({"@id": "urn:a", "urn:p": '\\"' + "[{" * 5_000})
    file.write_text(text, encoding="utf-8")
    assert len(whole(file)) == 1
    for opening in ('{"urn:p":', "[", '{"@graph":[', '{"urn:p":{"@list":['):
        file.write_text('[\n{"@id": "x"},\n' + opening * 5_000, encoding="utf-8")
        with pytest.raises(KGError, match="line 3: more than 200 objects or arrays stand in"):
            whole(file)


def test_a_graph_remembers_what_it_lacks(tmp_path: Path) -> None:
    file = tmp_path / "kg.nt"
    text, _ = BROKEN[file.name]
    file.write_text(text, encoding="utf-8")
    cache = tmp_path / "cache"
    for _ in range(2):
        kg = open_kg(str(file), cache=cache, on_broken="skip")
        assert kg.left_out.statements == 1 and kg.counts.triples == 1
        kg.close()
        with pytest.raises(KGError, match="line 3"):
            open_kg(str(file), cache=cache)
    assert len(list((cache / "kg").iterdir())) == 1
    build(str(file), tmp_path / "built", on_broken="skip")
    for src in (tmp_path / "built", file):
        kg = open_kg(str(src), cache=file, on_broken="skip")  # a cache that cannot be written
        assert kg.left_out.first[0].startswith("kg.nt, line 3: ")
        kg.close()


def test_nothing_but_broken_statements_is_no_graph(tmp_path: Path) -> None:
    file = tmp_path / "kg.nt"
    file.write_text("<urn:a> <urn:b> .\n", encoding="utf-8")
    with pytest.raises(KGError, match=r"^kg.nt holds no triples; 1 broken statement was left out"):
        kept(file)
