"""What the page says, and what it can never do."""

import json
import re
import resource
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.agent.kg.labels.names import one_line
from groundwalk.agent.records import Answer
from groundwalk.evaluation.records import Asked, Record, Rejected, answered
from groundwalk.evaluation.report.build import build_report
from groundwalk.evaluation.samples import Gold, Sample
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .pages import Page, column, page_of, read_page
from .runs import ASKED, HOSTILE, answer, config, named, records, state, step, write_run


@pytest.fixture(name="page", scope="module")
def _page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    return page_of(write_run(tmp_path_factory.mktemp("one") / "run"))


def test_the_headline_is_what_the_records_come_to(page: Page) -> None:
    table = page.tables["Headline numbers"]
    assert column(table, "Questions") == ["7 2 unanswerable"]
    # right and claimed of right, wrong, claimed, silent, failed:
    assert column(table, "Hits@1")[0].split()[0] == "40.0"
    assert column(table, "Hit")[0].split()[0] == "60.0"
    assert column(table, "Unanswerable answered") == ["50.0 1 of 2"]
    assert column(table, "Supported")[0].split()[0] == "100.0"
    # 2 + 2 + 3 + 2 + 2 + 2 triples were written, one of them ill:
    assert column(table, "Ill")[0].split()[0] == "7.7"
    assert column(table, "Faithful")[0].split()[0] == "100.0"
    assert column(table, "Seconds") == ["0.1"]
    assert "Triplet-F1" not in table[0]
    assert "Nothing to measure here for: Triplet-F1." in " ".join(" ".join(page.shown).split())


def test_what_it_is_about(page: Page) -> None:
    text = " ".join(" ".join(page.shown).split())
    assert "places dev" in text
    for fact in ("Knowledge graph places.ttl", "Model bundled", "groundwalk 0.1.0"):
        assert fact in text
    assert re.search(r"Date \d{4}-\d\d-\d\d", text)
    assert "Not finished" not in text


def test_breakdowns(page: Page) -> None:
    hops = page.tables["By hops"]
    assert [row[0] for row in hops[1:]] == ["1 hop", "2 hops"]
    assert column(hops, "Questions") == ["3", "2"]
    assert [cell.split()[0] for cell in column(hops, "Hits@1")] == ["33.3", "50.0"]
    assert [row[0] for row in page.tables["By type of question"][1:]] == ["back", "walk"]
    assert [row[0] for row in page.tables["By number of right answers"][1:]] == ["1 answer"]
    assert [row[0] for row in page.tables["By tag"][1:]] == ["easy"]


def test_every_plot_has_a_title_and_every_point_a_text(page: Page) -> None:
    assert {"Seconds", "Tokens", "LLM calls"} <= {
        label.partition(":")[0] for label in page.attribute("svg", "aria-label")
    }
    for key in page.attribute("input", "id")[:7]:
        plot = key.removeprefix("cost-")
        assert f".choice:has(#{key}:checked) .chosen-{plot}" in "".join(page.styles)
    dots = [a for tag, a in page.elements if tag == "g"]
    assert dots
    for dot in dots:
        assert dot["data-tip"] == dot["aria-label"]
        assert dot["tabindex"] == "0"
    assert any("gcr: Hits@1 40.0" in (dot["data-tip"] or "") for dot in dots)


def test_the_samples_are_all_there(page: Page) -> None:
    data = page.data
    assert data["series"] == ["gcr"]
    assert [q[1] for q in data["questions"]] == [r["question"] for r in records()]
    assert len(data["results"][0]) == 7
    texts = [n if isinstance(n, str) else n[0] for n in data["names"]]
    wrong = data["results"][0][1]
    assert [(texts[a[0]], a[2]) for a in wrong[6]] == [("Chile", False), ("Peru", True)]
    # The chain is walked from tail to head: 0 supported, 3 more for inverse.
    lima, capital, peru = (texts.index(name) for name in ("Lima", "capital", "Peru"))
    (walk,) = wrong[6][1][3]
    assert [[texts[s[0]], texts[s[1]], s[2], texts[s[3]]] for s in walk] == [
        [texts[lima], texts[capital], 3, texts[peru]]
    ]
    assert data["results"][0][2][8] == ["Atlantis"]
    assert data["results"][0][6][12] == "service: no answer"


def test_nothing_is_loaded_or_sent(page: Page) -> None:
    for tag, attributes in page.elements:
        assert tag not in ("link", "img", "iframe", "object", "base", "source")
        assert not {"src", "srcset", "action", "style", "ping"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)
        assert (attributes.get("href") or "#").startswith("#")
    for style in page.styles:
        assert "url(" not in style and "@import" not in style
    for word in ("fetch", "XMLHttpRequest", "import(", "innerHTML", "eval(", "document.write"):
        assert word not in page.scripts[1]


def test_only_its_own_script_and_style_may_run(page: Page) -> None:
    (policy,) = [a["content"] or "" for _, a in page.elements if "http-equiv" in a]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert len(page.scripts) == 2
    for kind, text in (("script-src", page.scripts[1]), ("style-src", "".join(page.styles))):
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert rules[kind] == f"'sha256-{digest}'"


def everywhere(text: str) -> tuple[list[Record], dict[str, Any]]:
    """A run in which a text stands wherever a KG, a dataset, a model or a user could put it."""
    found = Answer(
        **named(text, text),
        score=0.5,
        chains=[[step(text, text, text), step(text, text, text, inverse=True, verdict="unknown")]],
    )
    sample = Sample(
        text, text, (Gold(text, text), Gold(label=text)), hops=1, tags=(text,), type=text
    )
    record = answered(
        sample,
        Asked(text, text, text),
        state(found, unsupported=[text], notes=[text], topics=[]),
        0.1,
    )
    record["choices"] = [text]
    record["reading"], record["unread_words"] = text, [text]
    record["rejected"] = [
        Rejected(words=text, steps=[], likelihood=0.1, verdict=""),
        Rejected(words="", steps=[step(text, text, text)], likelihood=0.0, verdict="unknown"),
    ]
    record["error"] = text
    setting = {text or "empty": {text: text}, "kg": {"source": text}, "model": {"source": text}}
    return [record], config(9, **setting)


def written(folder: Path, text: str) -> Page:
    lines, made = everywhere(text)
    return page_of(write_run(folder, lines, made), out=folder / "page.html")


@pytest.fixture(scope="module", name="plain")
def _plain(tmp_path_factory: pytest.TempPathFactory) -> Page:
    """The page of a run in which every text is a word."""
    return written(tmp_path_factory.mktemp("plain") / "run", "word")


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_becomes_markup(tmp_path: Path, plain: Page, text: str) -> None:
    assert written(tmp_path / "bad", text).shape == plain.shape


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40),
        st.text("<>&\"'/!-=[]{}%#sctyleripx \n", min_size=1, max_size=40),
    ).filter(lambda text: bool(one_line(text)))
)
def test_any_text_arrives_whole_and_as_text(tmp_path: Path, plain: Page, text: str) -> None:
    page = written(tmp_path / "run", text)
    assert page.shape == plain.shape
    data = page.data
    assert data["questions"][0][1] == one_line(text)
    assert data["questions"][0][6] == [one_line(text)]
    assert data["results"][0][0][8] == [one_line(text)]
    assert data["results"][0][0][14][0] == [one_line(text), [], 0.1, 3]
    assert data["results"][0][0][15] == one_line(text)
    assert page.data["notes"] == [one_line(text)]
    assert one_line(text) in [n if isinstance(n, str) else n[0] for n in data["names"]]


def test_steering_characters_are_gone(tmp_path: Path) -> None:
    for number, text in enumerate(HOSTILE):
        page = written(tmp_path / str(number), text)
        shown = "".join(page.shown) + json.dumps(page.data["names"], ensure_ascii=False)
        assert not re.search(
            "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", shown
        )


def test_runs_and_methods_are_told_apart(tmp_path: Path) -> None:
    both = [*records(), *records(ASKED._replace(method="dog"))]
    one = write_run(tmp_path / "first" / "run", both)
    two = write_run(tmp_path / "second" / "run", settings=config(7, options={"beams": 30}))
    page = page_of(one, two)
    assert (one / "report.html").is_file()
    names = ["gcr · first/run", "dog · first/run", "gcr · second/run"]
    assert page.data["series"] == names
    assert [row[0] for row in page.tables["Headline numbers"][1:]] == names
    assert len(page.data["questions"]) == 7
    assert page.tables["Settings that differ"] == [
        ["", "first/run", "second/run"],
        ["options.beams", "10", "30"],
        ["options.confidence", "null", "not set"],
    ]
    assert "Different questions" not in "".join(page.shown)


def test_equal_ids_of_other_questions_stay_apart(tmp_path: Path) -> None:
    other = records()
    for record in other:
        record["question"] = f"another {record['question']}"
    changed = {**config(7)["questions"], "digest": "d2"}
    one = write_run(tmp_path / "a")
    two = write_run(tmp_path / "b", other, config(7, questions=changed))
    page = page_of(one, two)
    assert len(page.data["questions"]) == 14
    assert "Different questions" in "".join(page.shown)


def test_an_llm_that_did_not_answer_is_told(tmp_path: Path) -> None:
    lines = records()
    assert "did not answer for" not in "".join(page_of(write_run(tmp_path / "a", lines)).shown)
    lines[0]["usage"]["llm_failed"], lines[0]["reasoner"] = 1, "vote"
    page = page_of(write_run(tmp_path / "b", lines))
    said = "the LLM did not answer for 1 of 7 questions: the vote did"
    assert f"gcr: {said}" in "".join(page.shown)
    for line in (more := records(ASKED._replace(method="dog"))):
        line["usage"]["llm_failed"], line["reasoner"] = int(line["id"] == "right"), "vote"
    page = page_of(write_run(tmp_path / "c", [*lines, *more]))
    assert f"gcr, dog: {said}" in "".join(page.shown)


def test_tokens_of_prompts_stand_beside_those_after_them(tmp_path: Path) -> None:
    lines = records()
    for line in lines:
        line["usage"]["prompt_tokens"], line["usage"]["tokens"] = 1234, 56
        line["usage"]["llm_uncounted"] = 1
    page = page_of(write_run(tmp_path / "run", lines))
    said = "".join(page.shown)
    assert "Prompt tokens" in said and "1,234" in said
    assert f"gcr: the LLM did not tell the tokens of {len(lines)} replies: in no count" in said
    (rows,) = page.data["results"]
    assert [row[11][2:4] for row in rows] == [[1234, 56]] * len(lines)


def test_questions_without_a_topic_are_told(tmp_path: Path) -> None:
    page = page_of(write_run(tmp_path / "run"))
    said = "gcr: no entity of the graph was recognised in 2 of 7 questions"
    assert said in "".join(page.shown)


def test_how_runs_were_spread_is_told(tmp_path: Path) -> None:
    def spread(name: str, **speed: Any) -> Path:
        return write_run(tmp_path / name, settings=config(7, speed=speed))

    one = spread("one", workers=None, batch=1, ray=False)
    same = spread("same", workers=None, batch=1, ray=False)
    many = spread("many", workers=2, batch=4, ray=True)
    alike, differing = page_of(one, same), page_of(one, many)
    assert "Spread differently" not in "".join(alike.shown)
    assert "Spread differently" in "".join(differing.shown)
    text = " ".join(" ".join(differing.shown).split())
    assert "Spread one process, 2 workers of Ray with 4 questions at once" in text


def test_many_series_look_different(tmp_path: Path) -> None:
    methods = [f"m{n}" for n in range(20)]
    lines = [line for m in methods for line in records(ASKED._replace(method=m))]
    page = page_of(write_run(tmp_path / "run", lines))
    markers = [(a["class"], a["d"]) for _, a in page.elements if "marker" in (a.get("class") or "")]
    assert len(set(markers)) == 20
    curves = [a["class"] for _, a in page.elements if "curve" in (a.get("class") or "")]
    assert len(set(curves)) == 20
    first = {tuple(classes.split()[2:3]) for classes in (curves[n] or "" for n in range(4))}
    assert len(first) == 4  # dashes, and not colours alone, tell the first from one another
    for dashes in ("d0", "d1", "d2", "d3"):
        drawn = f".{dashes} {{ stroke-dasharray" in "".join(page.styles)
        assert drawn == (dashes != "d0")


def test_a_full_disk_leaves_the_page_that_was_there(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run")
    whole = page_of(folder).text
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        with pytest.raises(InputError, match=r"report\.html cannot be written: File too large"):
            build_report([folder])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (folder / "report.html").read_text(encoding="utf-8") == whole
    assert {file.name for file in folder.iterdir()} == {
        "config.json",
        "report.html",
        "samples.jsonl",
    }


def test_a_page_may_go_to_a_pipe_and_through_a_link(tmp_path: Path) -> None:
    folder, kept = write_run(tmp_path / "run"), tmp_path / "kept.html"
    (tmp_path / "link.html").symlink_to(kept)
    page = page_of(folder, out=tmp_path / "link.html")
    assert (tmp_path / "link.html").is_symlink()
    assert kept.read_text(encoding="utf-8") == page.text
    assert build_report([folder], Path("/dev/null")).records == 7
    assert not Path("/dev/null").is_file()


def test_an_unfinished_run_says_so(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", records()[:3], config(7, methods=["gcr", "dog"]))
    with (folder / "samples.jsonl").open("a", encoding="utf-8") as lines:
        lines.write('{"schema": 1, "dataset": "pla')
    page = page_of(folder)
    assert "gcr: 3 of 7 questions are answered so far" in "".join(page.shown)
    assert "run: dog has not begun" in "".join(page.shown)
    assert column(page.tables["Headline numbers"], "Questions") == ["3"]


def test_a_run_without_right_answers_has_no_accuracy(tmp_path: Path) -> None:
    page = page_of(write_run(tmp_path / "run", records()[4:5]))
    assert "Hits@1" not in page.tables["Headline numbers"][0]
    assert "By hops" not in page.tables


def test_numbers_that_are_none(tmp_path: Path) -> None:
    lines = records()[:2]
    lines[0]["answers"][0]["score"] = float("nan")
    page = page_of(write_run(tmp_path / "run", lines))
    assert page.data["results"][0][0][6][0][1] is None


def test_long_lists_are_cut_and_counted(tmp_path: Path) -> None:
    chains = [[step("Peru", "has", "x" * 5_000)] for _ in range(7)]
    answers = [Answer(**named(f"a{n}"), score=0.1, chains=chains) for n in range(25)]
    gold = tuple(Gold(label=f"a{n}") for n in range(30))
    many = state(*answers, notes=["n"] * 12, unsupported=["u"] * 21)
    line = answered(Sample("1", "many?", gold), ASKED, many, 0.1)
    data = page_of(write_run(tmp_path / "run", [line])).data
    question, result = data["questions"][0], data["results"][0][0]
    assert (len(question[4]), question[5]) == (20, 10)
    assert (len(result[6]), result[7]) == (20, 5)
    assert (len(result[6][0][3]), result[6][0][4]) == (5, 2)
    assert max(len(n if isinstance(n, str) else n[0]) for n in data["names"]) == 301
    assert result[8] == ["u"] * 20 + ["… and 1 more"]
    assert [data["notes"][n] for n in result[10]] == ["n"] * 10 + ["… and 2 more"]


def test_what_was_rejected_comes_with_its_reason(tmp_path: Path) -> None:
    lines = records()[3:4]
    walk = [step("Titicaca", "in", "Peru"), step("Peru", "capital", "Lima")]
    lines[0]["rejected"] = [
        Rejected(words="rivers of Peru", steps=[], likelihood=0.12, verdict=""),
        Rejected(words="", steps=walk, likelihood=0.2, verdict="supported"),
        Rejected(words="", steps=walk[:1], likelihood=0.0, verdict="unsupported"),
        Rejected(words="", steps=walk[1:], likelihood=0.0, verdict="unknown"),
    ]
    data = page_of(write_run(tmp_path / "run", lines)).data
    assert [(r[0], len(r[1]), r[2], r[3]) for r in data["results"][0][0][14]] == [
        ("rivers of Peru", 0, 0.12, 3),
        ("", 2, 0.2, 0),
        ("", 1, None, 1),
        ("", 1, None, 2),
    ]


def test_large_runs_stay_small(tmp_path: Path) -> None:
    """25 MB for the 14,274 questions of MetaQA's 3-hop dev split, ten walks each."""
    lines: list[Record] = []
    for n in range(1_000):
        film, actor = f"The film number {n}", f"Actor {n % 97} of Somewhere"
        walk = [step(actor, "starred_actors", film, inverse=True), step(film, "year", f"{n % 99}")]
        answers = [answer(f"{n + k}", [*walk, step(f"{n}", "year", f"{k}")]) for k in range(10)]
        sample = Sample(str(n), f"When were the films of {actor} released?", hops=3)
        lines.append(answered(sample, ASKED, state(*answers), 0.1))
    page = page_of(write_run(tmp_path / "run", lines))
    assert len(page.text) / 1_000 < 25e6 / 14_274


def test_the_page_of_a_run_is_the_same_each_time(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run")
    first = page_of(folder).text
    assert read_page(folder / "report.html").text == first == page_of(folder).text


def test_a_partial_answer_shows_what_it_leaves_out(tmp_path: Path) -> None:
    lines = records()
    lines[0]["status"], lines[0]["unread_words"], lines[0]["type"] = "partial", ["<b>old"], "walk"
    page = page_of(write_run(tmp_path / "run", lines))
    said = "".join(page.shown)
    assert "What became of each kind of question" in said and "Unread words" in said
    assert "Words that change a question" not in said
    (rows,) = page.data["results"]
    assert [row[13] for row in rows] == [["<b>old"]] + [[]] * (len(rows) - 1)
    lines[0]["as_plain"] = lines[0]["expressible"] = True
    page = page_of(write_run(tmp_path / "contrast", lines))
    assert "Words that change a question" in "".join(page.shown)
