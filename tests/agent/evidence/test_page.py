"""The page, read by a parser, and drawn by a browser where there is one."""

import re
from base64 import b64encode
from hashlib import sha256
from itertools import combinations
from pathlib import Path

import pytest
from groundwalk.agent.evidence import Origin, Reply, explain
from groundwalk.agent.evidence.layout import lay_out
from groundwalk.agent.evidence.sparql import answers_query, check_query
from hypothesis import given
from hypothesis import strategies as st

from ...evaluation.report.pages import Page
from ...evaluation.report.test_browser import CHROMIUM, browse
from .replies import HOSTILE, answer, border, hub, named, reply, step, unread
from .test_sparql import GRAPHS, walk

ORIGIN = Origin("places.ttl", "ab" * 32, (), "bundled", "1.2", "2025-01-31T09:00:00+00:00")


def shown(told: Reply, origin: Origin = ORIGIN) -> Page:
    return Page(explain("html", told, origin))


def words(page: Page) -> str:
    return " ".join(" ".join(page.shown).split())


def test_it_says_all_there_is_to_say() -> None:
    told = border()
    told["notes"], told["unsupported"] = ["not sure"], ["Atlantis"]
    page = shown(told)
    text = words(page)
    for part in ("Who is it?", "not sure", "Atlantis", "places.ttl", "bundled", "Lisbon", "gcr"):
        assert part in text
    (rows,) = page.tables.values()
    assert rows[1:] == [
        [
            "✓ supported",
            *(f"{n} <http://example.org/{n}>" for n in ("Portugal", "capital", "Lisbon")),
        ],
        [
            "✓ supported",
            *(f"{n} <http://example.org/{n}>" for n in ("Portugal", "borders", "Spain")),
        ],
    ]
    for query in (answers_query(told), check_query(told)):
        assert query in "".join(page.shown)


def test_the_reading_stands_between_question_and_answers() -> None:
    text = words(shown(unread()))
    parts = ("Which neighbours hate it?", "read as: borders of Portugal", '"hate"', "Spain")
    places = [text.rindex(parts[0]), *map(text.index, parts[1:])]
    assert places == sorted(places)
    assert text.count("not understood") == 1


def test_nothing_is_loaded_sent_or_run() -> None:
    page = shown(border())
    (policy,) = page.attribute("meta", "content")[:1]
    (style,) = page.styles
    digest = b64encode(sha256(style.encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}';")
    assert page.scripts == []
    names = {name for _, attributes in page.elements for name in attributes}
    assert not names & {"href", "src", "style", "onload", "onclick", "xlink:href", "srcset"}
    assert "url(" not in style and "@import" not in style


@pytest.mark.parametrize("label", HOSTILE)
def test_names_stay_text(label: str) -> None:
    told, calm = border(label, label), border()
    told["question"] = told["method"] = label
    told["notes"], told["unsupported"] = [label, f"not understood: {label}"], [label]
    calm["notes"], calm["unsupported"] = ["calm", "not understood: calm"], ["calm"]
    told["reading"], calm["reading"] = label, "calm"
    page = shown(told, Origin(source=label, model=label))
    assert page.shape == shown(calm, Origin(source="calm", model="calm")).shape
    assert all(c.isprintable() or c == "\n" for c in page.text)


def test_an_arrow_runs_as_the_graph_holds_the_triple() -> None:
    lines = re.findall(r'<path class="line supported" d="M([\d.]+).*?/>', explain("html", border()))
    assert len(lines) == 4
    tips = re.findall(r'<path class="line.*?(marker-start|marker-end)', explain("html", border()))
    assert tips == ["marker-start", "marker-end"]


def test_a_hub_is_one_group() -> None:
    layout = lay_out(hub())
    assert len({id(shape) for shape in layout.shapes.values()}) == 2
    assert layout.height < 700 and layout.width < 1_600
    assert words(shown(hub())).count("Member number 49") == 4


def test_nothing_to_explain() -> None:
    page = shown(reply([]))
    assert "The graph does not say." in words(page)
    assert "svg" not in {tag for tag, _ in page.elements} and not page.tables


@given(GRAPHS, st.data())
def test_nothing_overlaps(triples: list[tuple[str, str, str]], data: st.DataObject) -> None:
    told = walk(data, triples)
    layout = lay_out(told)
    drawn = {term for shape in layout.shapes.values() for term in shape.terms}
    assert drawn >= {own["term"] for own in told["answers"]}
    boxes = list({id(shape): shape for shape in layout.shapes.values()}.values())
    boxes += [bundle.shape for bundle in layout.bundles]
    for one, other in combinations(boxes, 2):
        across = one.x < other.right and other.x < one.right
        down = one.y < other.y + other.height and other.y < one.y + one.height
        assert not (across and down)
    for box in boxes:
        assert 0 <= box.x and box.right <= layout.width + 0.1
        assert -0.1 <= box.y and box.y + box.height <= layout.height + 0.1


def several() -> Reply:
    """Two topics, steps both ways, an answer with two walks, a loop, and a long name."""
    ada, eve, parent, lives = named("Ada"), named("Eve"), named("parent of"), named("lives in")
    ben, cleo, oslo = named("Ben"), named("Cleo"), named("Oslo " * 20)
    like = step(cleo, named("likes"), cleo)
    chains = [
        [step(ada, parent, ben), step(ben, lives, oslo)],
        [step(eve, parent, ben), step(ben, lives, oslo)],
        [step(cleo, named("child of"), ada, inverse=True), like, step(cleo, lives, oslo)],
    ]
    years = [named(f'"{year}"', f'"{year}"') for year in (1990, 1991)]
    born = [answer(y, [step(eve, named("born"), y, verdict="unknown")]) for y in years]
    return reply([answer(oslo, *chains), *born], ada, eve)


def test_every_shape_of_walk_is_drawn() -> None:
    page = shown(several())
    tags = [tag for tag, _ in page.elements]
    assert tags.count("svg") == 1
    assert {"topic", "answer", "other"} <= {
        (attributes.get("class") or "").removeprefix("box ")
        for tag, attributes in page.elements
        if tag == "g"
    }


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium is installed")
@pytest.mark.parametrize("told", [border(), hub(), several(), reply([]), border(HOSTILE[1])])
def test_a_browser_draws_it_and_does_not_complain(tmp_path: Path, told: Reply) -> None:
    file, shot = tmp_path / "page.html", tmp_path / "shot.png"
    file.write_text(explain("html", told, ORIGIN), encoding="utf-8")
    seen = Page(browse(tmp_path, file.as_uri(), "--dump-dom"))
    assert [tag for tag, _ in seen.elements if tag == "svg"] == ["svg"] * bool(told["answers"])
    assert ["script" in tag for tag, _ in seen.elements].count(True) == 0
    browse(tmp_path, file.as_uri(), "--window-size=1000,700", f"--screenshot={shot}")
    assert shot.stat().st_size > 5_000


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium is installed")
@pytest.mark.parametrize("told", [hub(), several()])
def test_a_narrow_page_does_not_scroll_sideways(tmp_path: Path, told: Reply) -> None:
    text = re.sub(r"<meta http-equiv[^>]*>", "", explain("html", told, ORIGIN))
    probe = (
        "<script>setTimeout(() => parent.postMessage("
        "`${innerWidth} ${document.documentElement.scrollWidth}`, '*'), 300);</script></body>"
    )
    (tmp_path / "page.html").write_text(text.replace("</body>", probe), encoding="utf-8")
    (tmp_path / "frame.html").write_text(
        '<body><iframe src="page.html" width="360" height="800" frameborder="0"></iframe>'
        "<script>addEventListener('message', e => { document.title = e.data; })</script>",
        encoding="utf-8",
    )
    seen = browse(tmp_path, (tmp_path / "frame.html").as_uri(), "--dump-dom")
    found = re.search(r"<title>(\d+) (\d+)</title>", seen)
    assert found and int(found[1]) == 360 >= int(found[2])
