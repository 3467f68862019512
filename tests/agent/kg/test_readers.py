"""Files of every format are read; broken ones say where they break and what to do."""

import gzip
from pathlib import Path

import pytest
from groundwalk.agent.errors import KGError
from groundwalk.agent.kg.files import readers
from groundwalk.agent.kg.files.readers import name_iri, read_quads
from groundwalk.agent.kg.files.sources import digest, find_sources
from groundwalk.agent.kg.nodes import to_term
from hypothesis import given
from hypothesis import strategies as st

TRIPLE = "<http://example.org/a> <http://example.org/p> <http://example.org/b>"
RDF_XML = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://example.org/">
<rdf:Description rdf:about="http://example.org/a">
<e:p rdf:resource="http://example.org/b"/>
</rdf:Description>
</rdf:RDF>
"""
JSON_LD = '{"@id": "http://example.org/a", "http://example.org/p": {"@id": "http://example.org/b"}}'
DOCUMENTS = {
    "kg.ttl": "@prefix e: <http://example.org/> .\n\ne:a e:p e:b .\n",
    "kg.turtle": f"{TRIPLE} .",
    "kg.nt": f"{TRIPLE} .\n",
    "kg.nq": f"{TRIPLE} <http://example.org/graph> .\n",
    "kg.trig": f"<http://example.org/graph> {{ {TRIPLE} }}",
    "kg.rdf": RDF_XML,
    "kg.owl": RDF_XML,
    "kg.jsonld": JSON_LD,
    "kg.json": JSON_LD,
    "kg.txt": f"\n{TRIPLE} .\n",
    "kg": "PREFIX e: <http://example.org/>\ne:a e:p e:b .\n",
}
TABLES = {
    "kb.txt": "a b|p|c\n\nc|p|a b\n",
    "kb.psv": "a b|p|c\nc|p|a b",
    "kb.kb": "a b | p | c\r\nc|p|a b\r\n",
    "kb.tsv": "head\trelation\ttail\na b\tp\tc\nc\tp\ta b\n",
    "tabs.txt": "a b\tp\tc\nc\tp\ta b\n",
}


def written(folder: Path, name: str, content: str | bytes) -> Path:
    file = folder / name
    data = content.encode() if isinstance(content, str) else content
    file.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return file


def triples(path: Path) -> list[str]:
    quads = read_quads(find_sources(path))
    return [" ".join(to_term(node) for node in quad.triple) for quad in quads]


def refusal(path: Path) -> KGError:
    with pytest.raises(KGError) as caught:
        list(read_quads(find_sources(path)))
    assert "\n" not in caught.value.message
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_rdf_formats(tmp_path: Path, name: str, mark: str, packed: str) -> None:
    file = written(tmp_path, name + packed, mark + DOCUMENTS[name])
    assert triples(file) == [TRIPLE]


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("name", TABLES)
def test_tables_of_names(tmp_path: Path, name: str, mark: str, packed: str) -> None:
    file = written(tmp_path, name + packed, mark + TABLES[name])
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    assert triples(file) == [
        f'<urn:groundwalk:a%20b> {label} "a b"',
        f'<urn:groundwalk:p> {label} "p"',
        f'<urn:groundwalk:c> {label} "c"',
        "<urn:groundwalk:a%20b> <urn:groundwalk:p> <urn:groundwalk:c>",
        "<urn:groundwalk:c> <urn:groundwalk:p> <urn:groundwalk:a%20b>",
    ]


@pytest.mark.parametrize(
    "relation",
    [
        "rdf:type",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
        "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>",
    ],
)
def test_a_table_says_what_the_class_of_a_name_is(tmp_path: Path, relation: str) -> None:
    file = written(tmp_path, "kb.tsv", f"drill\t{relation}\ttool\ndrill\ttype\tsaw\n")
    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    made = triples(file)
    assert f"<urn:groundwalk:drill> {kind} <urn:groundwalk:tool>" in made
    assert "<urn:groundwalk:drill> <urn:groundwalk:type> <urn:groundwalk:saw>" in made
    assert not any(relation in triple for triple in made if kind not in triple)


@given(st.text(min_size=1), st.text(min_size=1))
def test_different_names_have_different_iris(a: str, b: str) -> None:
    try:
        assert (name_iri(a) == name_iri(b)) == (a == b)
    except UnicodeEncodeError:
        return


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("kb.txt", "a|b|c\na|b\n", "kb.txt, line 2: expected head|relation|tail, found 2 columns"),
        ("kb.kb", "\n\na|b|c|d\n", "kb.kb, line 3: expected head|relation|tail, found 4 columns"),
        ("kb.psv", "word\n", "kb.psv, line 1: expected head|relation|tail, found 1 column"),
        ("kb.kb", "a|b|c\n|b|c\n", "kb.kb, line 2: expected head|relation|tail, found an empty"),
        ("kb.tsv", "a\tb\n", "kb.tsv, line 1: expected head TAB relation TAB tail, found 2"),
        ("kb.txt", "\nhello\n", "kb.txt, line 2: expected head|relation|tail, found 1 column"),
        ("kb.kb", b"a|b|c\n\xe9|b|c\n", "kb.kb, line 2: not UTF-8"),
        ("kb.kb", "a|b|c\n".encode("utf-16"), "kb.kb, line 1: not UTF-8"),
        ("kg.nt", f"{TRIPLE} .\n{TRIPLE}\n", "kg.nt, line 3: "),
        ("kg.nt", f"{TRIPLE} .\n<a b> {TRIPLE} .\n", "kg.nt, line 2: "),
        ("kg.ttl", f"{TRIPLE} .\n\ne:a e:p e:b .\n", "kg.ttl, line 3: "),
        (
            "kg.ttl",
            b'<urn:a> <urn:p> "x" .\n<urn:a> <urn:p> "\xe9" .',
            "kg.ttl, line 2: Invalid UTF",
        ),
        ("kg.trig", "<urn:g> {\n<urn:a> <urn:b> }", "kg.trig, line 2: "),
        ("kg.nq", "<urn:a> <urn:b> <urn:c> <urn:d> <urn:e> .\n", "kg.nq, line 1: "),
        ("kg.rdf", RDF_XML.replace("</rdf:Description>", ""), "kg.rdf, line 6: "),
        ("kg.jsonld", '{"@id":\n 3 3', "kg.jsonld, line 2: "),
        (
            "kg.jsonld",
            '{"@context": "https://schema.org/"}',
            "kg.jsonld: its @context is an address",
        ),
        ("kg.ttl", "", "kg.ttl holds no triples"),
        ("kg.txt", "\n \n", "kg.txt holds no triples"),
        ("kg.tsv", "head\trelation\ttail\n", "kg.tsv holds no triples"),
        ("kg.ttl.gz", "# nothing", "kg.ttl.gz holds no triples"),
    ],
)
def test_malformed_files_name_the_line(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    assert refusal(written(tmp_path, name, content)).message.startswith(message)


@pytest.mark.parametrize("name", ["kg.ttl", "kg.kb", "kg"])
def test_damaged_archives(tmp_path: Path, name: str) -> None:
    file = tmp_path / f"{name}.gz"
    file.write_bytes(b"not packed")
    assert name in refusal(file).message
    file.write_bytes(gzip.compress(b"<urn:a> <urn:b> <urn:c> .\n" * 1000)[:-8])
    if name == "kg.kb":
        file.write_bytes(gzip.compress(b"a|b|c\n" * 1000)[:-8])
    assert "not a whole .gz file" in refusal(file).message


def test_missing_and_empty_folders(tmp_path: Path) -> None:
    assert "no such file or folder" in refusal(tmp_path / "nothing.ttl").message
    assert "holds no RDF files" in refusal(tmp_path).message


def test_an_unreadable_file(tmp_path: Path) -> None:
    file = written(tmp_path, "kg.ttl", f"{TRIPLE} .")
    file.chmod(0)
    try:
        file.read_bytes()
    except PermissionError:
        assert "cannot be read: Permission denied" in refusal(file).message
    else:
        pytest.skip("this user may read every file")


def test_a_folder_is_one_graph_and_its_blank_nodes_stay_apart(tmp_path: Path) -> None:
    written(tmp_path, "b.nt", "_:x <urn:p> <urn:two> .\n")
    written(tmp_path, "a.ttl", "_:x <urn:p> <urn:one> . [] <urn:p> _:x .")
    written(tmp_path, "README.txt", "not RDF")
    assert triples(tmp_path) == [
        "_:b0 <urn:p> <urn:one>",
        "_:b1 <urn:p> _:b0",
        "_:f1-x <urn:p> <urn:two>",
    ]


@pytest.mark.parametrize("name", ["kg.nt", "kg.nq"])
def test_a_single_file_keeps_the_names_of_its_blank_nodes(tmp_path: Path, name: str) -> None:
    file = written(tmp_path, name, "_:x <urn:p> _:y2 .\n_:y2 <urn:p> <urn:o> .\n")
    assert triples(file) == ["_:x <urn:p> _:y2", "_:y2 <urn:p> <urn:o>"]


def test_blank_nodes_of_turtle_are_numbered_the_same_every_time(tmp_path: Path) -> None:
    file = written(tmp_path, "kg.ttl", "[] <urn:p> [ <urn:q> _:x ] . _:x <urn:p> ( <urn:o> ) .")
    assert triples(file) == triples(file)
    assert {word for line in triples(file) for word in line.split() if word[0] == "_"} == {
        f"_:b{number}" for number in range(4)
    }


def test_a_table_of_more_names_than_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, "kb.txt", "".join(f"a{i}|p|a{i + 1}\n" for i in range(10)))
    every = set(triples(file))
    monkeypatch.setattr(readers, "_MOST_NAMES", 3)
    assert len(triples(file)) > len(every)
    assert set(triples(file)) == every


def test_triples_about_triples_are_read(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        "kg.ttl",
        f"{TRIPLE} . <urn:a> <urn:p> <<( _:x <urn:q> <<( _:y <urn:r> _:x )>> )>>.",
    )
    nested = "<urn:a> <urn:p> <<( _:b0 <urn:q> <<( _:b1 <urn:r> _:b0 )>> )>>"
    assert sorted(triples(file)) == sorted([TRIPLE, nested])


REIFIES = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies>"
TOLD = f"<urn:r> {REIFIES} <<( {TRIPLE} )>>"
SINCE = "<urn:r> <urn:since> <urn:then>"


@pytest.mark.parametrize(
    ("name", "content", "asserted"),
    [
        ("kg.ttl", f"{TRIPLE} ~ <urn:r> {{| <urn:since> <urn:then> |}} .", True),
        ("kg.ttl", f"<< {TRIPLE} ~ <urn:r> >> <urn:since> <urn:then> .", False),
        ("kg.trig", f"<urn:g> {{ << {TRIPLE} ~ <urn:r> >> <urn:since> <urn:then> }}", False),
        ("kg.nt", f"{TOLD} .\n{SINCE} .\n", False),
        ("kg.nt", f"{TOLD.replace('<<( ', '<<(').replace(' )>>', ')>>')} .\n{SINCE} .\n", False),
        ("kg.nq", f"{TOLD} <urn:g> .\n{SINCE} <urn:h> .\n", False),
        ("kg.nt.gz", f"{TOLD} .\n{SINCE} .\n", False),
    ],
)
def test_reifiers_are_read_from_every_format_that_has_them(
    tmp_path: Path, name: str, content: str, asserted: bool
) -> None:
    found = triples(written(tmp_path, name, content))
    assert sorted(found) == sorted([TOLD, SINCE, *([TRIPLE] if asserted else [])])


def test_reifiers_without_a_name_are_numbered(tmp_path: Path) -> None:
    file = written(tmp_path, "kg.ttl", f"{TRIPLE} {{| <urn:since> <urn:then> |}} .")
    assert triples(file) == triples(file)
    assert f"_:b0 {REIFIES} <<( {TRIPLE} )>>" in triples(file)


def test_blank_nodes_of_several_files_stay_apart_in_triple_terms(tmp_path: Path) -> None:
    for name in ("a.nt", "b.nt"):
        written(tmp_path, name, f"_:r {REIFIES} <<( _:r <urn:p> _:o )>> .\n")
    assert sorted(triples(tmp_path)) == [
        f"_:f{i}-r {REIFIES} <<( _:f{i}-r <urn:p> _:f{i}-o )>>" for i in (0, 1)
    ]


def test_the_triple_terms_of_rdf_star_are_refused_with_their_line(tmp_path: Path) -> None:
    """N-Triples-star, which RDF 1.2 did not become, says `<< >>` where an IRI must be."""
    error = refusal(written(tmp_path, "kg.nt", f"{TRIPLE} .\n<<{TRIPLE}>> <urn:p> <urn:o> .\n"))
    assert "kg.nt, line 2" in error.message


def test_triples_too_deep_in_one_another_are_refused(tmp_path: Path) -> None:
    def nested(depth: int) -> str:
        return "<urn:a> <urn:p> " + "<<( _:s <urn:p> " * depth + "_:o" + " )>>" * depth + " ."

    assert len(triples(written(tmp_path, "kg.nt", nested(50)))) == 1
    assert "in one another" in refusal(written(tmp_path, "deep.nt", nested(51))).message


def test_the_digest_is_that_of_the_content(tmp_path: Path) -> None:
    one = written(tmp_path, "one.ttl", f"{TRIPLE} .")
    same = written(tmp_path, "same.turtle", f"{TRIPLE} .")
    other = written(tmp_path, "other.ttl", f"{TRIPLE}.")
    assert digest(find_sources(one)) == digest(find_sources(same))
    assert digest(find_sources(one)) != digest(find_sources(other))
    assert len(digest(find_sources(tmp_path))) == 64
