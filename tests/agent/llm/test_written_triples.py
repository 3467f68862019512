"""Triples in free text."""

import pytest
from groundwalk.agent.llm.written_triples import WrittenTriple, read_reasoning, read_walk
from hypothesis import given
from hypothesis import strategies as st

AB = WrittenTriple("A", "r", "B")
BC = WrittenTriple("B", "s", "C")


@pytest.mark.parametrize(
    ("text", "triples", "rest"),
    [
        ("<TRIPLE>A -> r -> B</TRIPLE> so B", (AB,), " so B"),
        ("x <triple>A->r->B</triple><TRIPLE> B -> s -> C </TRIPLE>", (AB, BC), "x"),
        ("<TRIPLE>A -> r -> B", (AB,), ""),
        ("1. < A -> r -> B > tells us B", (AB,), "tells us B"),
        ("* <TRIPLE>A -> r -> B</TRIPLE> so B", (AB,), "so B"),
        ("* A -> r -> B", (AB,), ""),
        ("A -> r -> B -> s -> C", (AB, BC), ""),
        ("A --> r --> B", (AB,), ""),
        ("A → r → B", (AB,), ""),
        ("A => r => B", (AB,), ""),
        ("(A, r, B) and so on", (AB,), "and so on"),
        ("[A, r, B]", (AB,), ""),
        ("(A, r, B, C)", (), "(A, r, B, C)"),
        ("we saw (A, r, B)", (), "we saw (A, r, B)"),
        ("A -> r", (), "A -> r"),
        ("<b>bold</b>", (), "<b>bold</b>"),
        ("<TRIPLE>A -> r</TRIPLE>", (), "<TRIPLE>A -> r</TRIPLE>"),
        ("<TRIPLE> -> r -> B</TRIPLE>", (), "<TRIPLE> -> r -> B</TRIPLE>"),
        ("B -> ^r -> A", (AB._replace(inverse=True),), ""),
        ("A -> → -> B", (WrittenTriple("A", "→", "B"),), ""),
    ],
)
def test_triples_are_read_and_the_rest_is_left(
    text: str, triples: tuple[WrittenTriple, ...], rest: str
) -> None:
    read = read_reasoning(text)
    assert read.triples == triples
    assert read.rest.split() == rest.split()


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("<PATH>A -> r -> B</PATH>", (AB,)),
        ("<PATH>A -> r -> B -> s -> C", (AB, BC)),
        ("<PATH>A -> r -> B -> s</PATH>", (AB,)),
        ("<PATH>B -> ^r -> A</PATH>", (AB._replace(inverse=True),)),
        ("<PATH>'A' -> r -> B*</PATH>", (WrittenTriple("'A'", "r", "B*"),)),
        ("<PATH>A</PATH>", ()),
        ("A -> r -> B", ()),
    ],
)
def test_a_walk_is_read_step_by_step(text: str, steps: tuple[WrittenTriple, ...]) -> None:
    assert read_walk(text) == steps


@given(st.text() | st.text(alphabet="<>-^→AB ()[],\nTRIPLE/"))
def test_any_text_is_read(text: str) -> None:
    for triple in read_reasoning(text).triples:
        assert triple.head and triple.tail
    read_walk(f"<PATH>{text}</PATH>")


@pytest.mark.parametrize("piece", ["<", "<TRIPLE>", "->", "<a -> ", "(a,", "* ", "> "])
def test_long_texts_take_no_time(piece: str) -> None:
    assert len(read_reasoning(piece * (20_000 // len(piece))).triples) <= 200


@pytest.mark.parametrize(("piece", "end"), [("-", ""), ("=", "x"), (" ", "!"), ("\t", "")])
def test_a_long_run_of_one_sign_is_read_once(piece: str, end: str) -> None:
    assert read_reasoning(f"<{piece * 200_000}{end}").triples == ()
