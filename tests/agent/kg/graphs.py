"""Random small graphs, as text that any RDF library reads."""

from hypothesis import strategies as st

NAMES = st.text(
    st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=8
) | st.sampled_from(
    ["Paris", "Georgia", 'say "hi"', "back\\slash", "tab\tand\nline", "<PATH>", "é"]
)
IRIS = st.integers(0, 6).map(lambda i: f"<http://example.org/e{i}>")
BLANKS = st.integers(0, 2).map(lambda i: f"_:x{i}")
PREDICATES = st.sampled_from(
    [
        "<http://example.org/vocab#knows>",
        "<http://example.org/vocab#birthPlace>",
        "<http://www.w3.org/2000/01/rdf-schema#label>",
        "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>",
    ]
)


def quoted(text: str) -> str:
    """A text as an N-Triples literal."""
    for character, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(character, escape)
    return f'"{text}"'


TAGS = st.sampled_from(["", "@en", "@en-gb", "@de", "^^<http://example.org/own>"])
LITERALS = st.tuples(NAMES.map(quoted), TAGS).map("".join)
TRIPLES = st.tuples(IRIS | BLANKS, PREDICATES, IRIS | BLANKS | LITERALS)
GRAPHS = st.lists(TRIPLES, min_size=1, max_size=20)


def ntriples(triples: list[tuple[str, str, str]]) -> str:
    """Triples as an N-Triples document."""
    return "".join(f"{' '.join(triple)} .\n" for triple in triples)
