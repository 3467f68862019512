"""The page in a real browser, where Chromium is installed."""

import csv
import json
import re
import shutil
import struct
import subprocess
import zlib
from html import unescape
from pathlib import Path

import pytest
from groundwalk.evaluation.records import Rejected
from groundwalk.evaluation.report.build import build_report

from .pages import Page
from .runs import ASKED, HOSTILE, answer, records, step, write_run
from .test_page import written

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium is installed"),
]

KEY = "places%2Fdev%2F"


def browse(tmp_path: Path, url: str, *options: str) -> str:
    """Run the page's scripts; what the browser printed, which is the DOM if that was asked for."""
    run = subprocess.run(
        [
            CHROMIUM,
            *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
            *("--enable-logging=stderr", "--v=0", "--virtual-time-budget=3000"),
            *(f"--user-data-dir={tmp_path / 'profile'}", "--hide-scrollbars"),
            *(*options, url),
        ],
        capture_output=True,
        timeout=120,
        check=False,
    )
    said = [line for line in run.stderr.decode(errors="replace").splitlines() if ":CONSOLE" in line]
    assert said == []
    return run.stdout.decode()


def dom(tmp_path: Path, file: Path, address: str = "") -> str:
    return browse(tmp_path, f"{file.as_uri()}{address}", "--dump-dom")


def keys(page: str) -> list[str]:
    return [unescape(key) for key in re.findall(r'<li data-key="([^"]*)"', page)]


def counts(page: str) -> dict[str, str]:
    return dict(re.findall(r'for="show-(\w+)">[\w ]+ <span class="count">(\d+)<', page))


@pytest.fixture(name="file", scope="module")
def _file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lines = [*records(), *records(ASKED._replace(method="dog"))]
    return build_report([write_run(tmp_path_factory.mktemp("run") / "run", lines)]).file


def test_all_samples_are_listed(tmp_path: Path, file: Path) -> None:
    page = dom(tmp_path, file)
    assert keys(page) == [f"places/dev/{record['id']}" for record in records()]
    assert counts(page) == {
        **{"all": "7", "wrong": "2", "right": "3", "unsupported": "1"},
        **{"abstained": "2", "error": "1", "unanswerable": "2", "partial": "0", "disagree": "0"},
    }


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("#show=wrong", ["wrong", "invented"]),
        ("#show=abstained&series=dog", ["silent", "rightly"]),
        ("#show=right&sort=unsure", ["rightly", "claimed", "right"]),
        ("#q=atlantis", ["claimed"]),
        ("#hops=2&q=PERU%20capital", ["right"]),
    ],
)
def test_filters_of_the_address(
    tmp_path: Path, file: Path, address: str, expected: list[str]
) -> None:
    assert keys(dom(tmp_path, file, address)) == [f"places/dev/{name}" for name in expected]


def test_a_link_opens_one_sample_with_its_walk(tmp_path: Path, file: Path) -> None:
    page = dom(tmp_path, file, f"#series=dog&sample={KEY}wrong")
    assert keys(page) == ["places/dev/wrong"]
    body = page.partition('class="body"')[2]
    assert "backwards along capital, supported, to" in body
    assert re.findall(r'class="entity[ end]*"[^>]*><bdi>(\w+)<', body) == ["Lima", "Peru"]
    assert 'title="&lt;http://example.org/Lima&gt;"' in body
    assert re.findall(r'aria-label="(right|wrong)"[^>]*>', body)[:2] == ["wrong", "right"]
    assert "doubtful" in body
    assert f"#series=gcr&amp;sample={KEY}wrong" in body


def test_claims_are_no_facts(tmp_path: Path, file: Path) -> None:
    page = dom(tmp_path, file, f"#sample={KEY}claimed")
    claims = page.partition('class="claims"')[2].partition("</div>")[0]
    assert "Not facts" in claims and "Atlantis" in claims
    assert "Atlantis" not in page.partition('class="answers"')[2].partition("</ol></li>")[0]


def test_a_sample_that_is_not_there(tmp_path: Path, file: Path) -> None:
    page = dom(tmp_path, file, "#sample=nobody")
    assert keys(page) == [] and "This report has no such sample." in page


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    address = "#show=unsupported"
    shapes: list[list[tuple[str, tuple[str, ...]]]] = []
    for name, text in (("bad", "".join(HOSTILE)), ("good", "word")):
        written(tmp_path / name, text)
        found = Page(dom(tmp_path, tmp_path / name / "page.html", address))
        assert ("li", ("data-key",)) in found.shape
        shapes.append(found.shape)
    assert shapes[0] == shapes[1]


def differing(tmp_path: Path) -> Path:
    """A page of two methods that differ in one question, with what was rejected in another."""
    lines = [*records(), *records(ASKED._replace(method="dog"))]
    long = "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch" * 2
    walk = [step("Peru", f"the relation {long}", long), step(long, "in", "Lima", inverse=True)]
    lines[8]["answers"] = [answer("Bolivia", walk), answer("Peru", walk)]
    for line in (lines[3], lines[10]):
        line["rejected"] = [
            Rejected(words="rivers of <b>Peru", steps=[], likelihood=0.12, verdict=""),
            Rejected(words="", steps=walk, likelihood=0.0, verdict="unsupported"),
        ]
    return build_report([write_run(tmp_path / "run", lines)]).file


def test_where_methods_disagree(tmp_path: Path) -> None:
    file = differing(tmp_path)
    page = dom(tmp_path, file, "#show=disagree")
    assert keys(page) == ["places/dev/wrong"]
    assert 'for="show-disagree">Methods disagree <span class="count">1<' in page
    alone = build_report([write_run(tmp_path / "alone")]).file
    assert "show-disagree" not in dom(tmp_path, alone)


def test_methods_stand_side_by_side(tmp_path: Path) -> None:
    page = dom(tmp_path, differing(tmp_path), f"#series=dog&sample={KEY}wrong")
    sides = page.partition('<ul class="sides">')[2].partition("Measures")[0]
    assert re.findall(r"<a href[^>]*><bdi>(\w+)<", sides) == ["gcr", "dog"]
    said = re.findall(r'<li class="(right|wrong)">. <span[^>]*><bdi>(\w+)<', sides)
    expected = [("wrong", "Chile"), ("right", "Peru"), ("wrong", "Bolivia"), ("right", "Peru")]
    assert said == expected
    assert sides.count('<li class="here">') == 1 and sides.count('class="walk"') == 1


def test_what_was_rejected_and_why(tmp_path: Path) -> None:
    page = dom(tmp_path, differing(tmp_path), f"#sample={KEY}silent")
    rejected = page.partition('<ul class="rejected">')[2].partition("Measures")[0]
    assert "rivers of &lt;b&gt;Peru" in rejected
    assert "read so, and not taken for what was asked; likelihood 0.12" in rejected
    assert "the graph does not hold it" in rejected and 'class="walk"' in rejected


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_what_is_listed_is_saved(tmp_path: Path, kind: str) -> None:
    """The text of the file is put into the title, in the place of a download."""
    lines = [*records(), *records(ASKED._replace(method="dog"))]
    lines[1]["answers"][0]["label"] = '=HYPERLINK("x"),1'
    text = build_report([write_run(tmp_path / "run", lines)]).file.read_text(encoding="utf-8")
    probe = (
        "<script>URL.createObjectURL = (blob) => {"
        "blob.text().then((text) => { document.title = JSON.stringify(text); });"
        f"return '#'; }}; document.getElementById('export-{kind}').click();</script>"
    )
    free = re.sub(r"<meta http-equiv[^>]*>", "", text).replace("</body>", f"{probe}</body>")
    (tmp_path / "page.html").write_text(free, encoding="utf-8")
    page = dom(tmp_path, tmp_path / "page.html", "#show=wrong")
    found = re.search("<title>(.*?)</title>", page)
    assert found
    saved = json.loads(unescape(found[1]))
    if kind == "json":
        rows = json.loads(saved)
        assert [(row["series"], row["sample"].rpartition("/")[2]) for row in rows] == [
            (method, name) for method in ("gcr", "dog") for name in ("wrong", "invented")
        ]
        assert rows[2]["walk"] == "" and rows[2]["answers"] == ["Chile", "Peru"]
        return
    rows = list(csv.DictReader(saved.removeprefix("\ufeff").splitlines()))
    assert len(rows) == 4 and rows[0]["answers"] == '\'=HYPERLINK("x"),1; Peru'
    assert rows[0]["right"] == "false" and rows[2]["answers"] == "Chile; Peru"


@pytest.mark.parametrize("width", [360, 390, 1280])
def test_nothing_is_wider_than_the_screen(tmp_path: Path, width: int) -> None:
    """Nor is there anything on a phone that scrolls sideways by itself."""
    text = differing(tmp_path).read_text(encoding="utf-8")
    probe = (
        "<script>document.querySelectorAll('details').forEach(d => { d.open = true; });"
        "setTimeout(() => { const wide = [...document.querySelectorAll('body *')].filter(e =>"
        "['auto', 'scroll'].includes(getComputedStyle(e).overflowX)"
        "&& e.scrollWidth > e.clientWidth + 1).length;"
        "parent.postMessage(`${innerWidth} ${document.documentElement.scrollWidth} ${wide}`, '*');"
        "}, 500);</script>"
    )
    free = re.sub(r"<meta http-equiv[^>]*>", "", text).replace("</body>", f"{probe}</body>")
    (tmp_path / "page.html").write_text(free, encoding="utf-8")
    (tmp_path / "frame.html").write_text(
        f'<body><iframe src="page.html" width="{width}" height="800" frameborder="0"></iframe>'
        "<script>addEventListener('message', e => { document.title = e.data; })</script>",
        encoding="utf-8",
    )
    found = re.search("<title>(.*?) (.*?) (.*?)</title>", dom(tmp_path, tmp_path / "frame.html"))
    assert found
    assert int(found[1]) == width and int(found[2]) <= width
    assert width > 1000 or int(found[3]) == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1000, 600), (500, 700)])
def test_screenshots_show_something(
    tmp_path: Path, file: Path, width: int, height: int, scheme: str
) -> None:
    shot = tmp_path / "shot.png"
    browse(
        tmp_path,
        file.as_uri(),
        f"--window-size={width},{height}",
        f"--blink-settings=preferredColorScheme={int(scheme == 'light')}",
        f"--screenshot={shot}",
    )
    rows = _grey(shot.read_bytes())
    values = [value for row in rows for value in row]
    ground = max(set(values), key=values.count)
    assert (ground > 200) == (scheme == "light") and (ground < 60) == (scheme == "dark")
    different = sum(1 for value in values if abs(value - ground) > 60)
    assert 0.005 < different / len(values) < 0.4


def _grey(png: bytes) -> list[list[int]]:
    """The green values of an RGB or RGBA picture, 8 bits each."""
    place, packed, width, depth = 8, b"", 0, 0
    while place < len(png):
        size, kind = struct.unpack(">I4s", png[place : place + 8])
        content = png[place + 8 : place + 8 + size]
        if kind == b"IHDR":
            width, _, bits, colour = struct.unpack(">IIBB", content[:10])
            assert bits == 8
            depth = {2: 3, 6: 4}[colour]
        elif kind == b"IDAT":
            packed += content
        place += 12 + size
    raw, length = zlib.decompress(packed), width * depth
    before, rows = bytearray(length), list[list[int]]()
    for start in range(0, len(raw), length + 1):
        line = bytearray(raw[start + 1 : start + 1 + length])
        _unfilter(raw[start], line, before, depth)
        rows.append(list(line[1::depth]))
        before = line
    return rows


def _unfilter(kind: int, line: bytearray, before: bytearray, depth: int) -> None:
    for n in range(len(line)):
        left = line[n - depth] if n >= depth else 0
        above, corner = before[n], before[n - depth] if n >= depth else 0
        match kind:
            case 1:
                guess = left
            case 2:
                guess = above
            case 3:
                guess = (left + above) // 2
            case 4:
                guess = min((left, above, corner), key=lambda v: abs(left + above - corner - v))
            case _:
                return
        line[n] = (line[n] + guess) & 255
