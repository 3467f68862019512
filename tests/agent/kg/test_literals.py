"""Literals are shown as people write them, by one name each, and found by what they hold."""

import datetime
from decimal import Decimal

import pytest
from groundwalk.agent.kg import GENERIC, KnowledgeGraph, Term, open_kg
from groundwalk.agent.kg.labels.literals import readable
from groundwalk.agent.kg.profile import speaking
from groundwalk.evaluation.samples import Gold
from groundwalk.evaluation.scoring.metrics import Predicted, strict
from hypothesis import given
from hypothesis import strategies as st

XSD = "http://www.w3.org/2001/XMLSchema#"
GERMAN = speaking(GENERIC, ("de",))


def typed(text: str, kind: str) -> Term:
    return f'"{text}"^^<{kind if ":" in kind else XSD + kind}>'


@pytest.mark.parametrize(
    ("text", "kind", "english", "other"),
    [
        ("1969-07-20", "date", "20 July 1969", "1969-07-20"),
        ("1969-07-20Z", "date", "20 July 1969 UTC", "1969-07-20 UTC"),
        ("0044-03-15", "date", "15 March 44", "0044-03-15"),
        ("-0044-03-15", "date", "15 March 44 BC", "-0044-03-15"),
        ("-0447-01-01T00:00:00Z", "dateTime", "1 January 447 BC", "-0447-01-01"),
        ("-0590", "gYear", "590 BC", "-0590"),
        ("-10000", "gYear", "10000 BC", "-10000"),
        ("-0044-03", "gYearMonth", "March 44 BC", "-0044-03"),
        ("-0000-03-15", "date", "-0000-03-15", "-0000-03-15"),
        ("0950", "gYear", "950", "0950"),
        ("1969-13-20", "date", "1969-13-20", "1969-13-20"),
        (
            "1969-07-20T20:17:40Z",
            "dateTime",
            "20 July 1969, 20:17:40 UTC",
            "1969-07-20 20:17:40 UTC",
        ),
        ("1969-07-20T00:00:00Z", "dateTime", "20 July 1969", "1969-07-20"),
        (
            "1969-07-20T00:00:00+02:00",
            "dateTime",
            "20 July 1969, 00:00 UTC+02:00",
            "1969-07-20 00:00 UTC+02:00",
        ),
        ("20:17:00", "time", "20:17", "20:17"),
        ("20:17:00.5", "time", "20:17:00.5", "20:17:00.5"),
        ("1969", "gYear", "1969", "1969"),
        ("1969-07", "gYearMonth", "July 1969", "1969-07"),
        ("--07-20", "gMonthDay", "20 July", "--07-20"),
        ("--07", "gMonth", "July", "--07"),
        ("P1Y2M1DT2H30M", "duration", "1 year 2 months 1 day 2 hours 30 minutes", "P1Y2M1DT2H30M"),
        ("-PT1.5S", "dayTimeDuration", "minus 1.5 seconds", "-PT1.5S"),
        ("P", "duration", "P", "P"),
        ("1953", "integer", "1953", "1953"),
        ("1234567", "integer", "1,234,567", "1 234 567"),
        ("-12345.50", "decimal", "-12,345.50", "-12 345.50"),
        ("1.2E6", "double", "1,200,000", "1 200 000"),
        ("1E-3", "float", "0.001", "0.001"),
        ("INF", "double", "INF", "INF"),
        ("1E99999999", "double", "1E99999999", "1E99999999"),
        ("042", "integer", "042", "042"),
        ("9" * 5000, "integer", "9" * 5000, "9" * 5000),
        ("true", "boolean", "yes", "true"),
        ("0", "boolean", "no", "0"),
        ("83879", "http://dbpedia.org/datatype/squareKilometre", "83,879 km²", "83 879 km²"),
        ("8848.5", "http://qudt.org/vocab/unit/M", "8848.5 m", "8848.5 m"),
        ("tall", "http://qudt.org/vocab/unit/M", "tall", "tall"),
        ("37 Cel", "https://w3id.org/cdt/ucum", "37 °C", "37 °C"),
        ("12.5 km2", "https://w3id.org/cdt/area", "12.5 km²", "12.5 km²"),
        ("12345", "http://example.org/code", "12345", "12345"),
    ],
)
def test_a_literal_is_shown_by_its_datatype(text: str, kind: str, english: str, other: str) -> None:
    assert readable(typed(text, kind), GENERIC) == english
    assert readable(typed(text, kind), GERMAN) == other


@pytest.mark.parametrize(
    ("term", "english", "german"),
    [
        ('"Turkey"', "Turkey", "Turkey"),
        ('"Turkey"@en', "Turkey", "Turkey (en)"),
        ('"Turkey"@en-gb', "Turkey", "Turkey (en-gb)"),
        ('"Türkei"@de-at', "Türkei (de-at)", "Türkei"),
        ('""', '""', '""'),
        ('""@fr', '"" (fr)', '"" (fr)'),
        ('"a\\nb"', "a b", "a b"),
    ],
)
def test_text_in_another_language_shows_its_tag(term: Term, english: str, german: str) -> None:
    assert (readable(term, GENERIC), readable(term, GERMAN)) == (english, german)


@given(st.dates(min_value=datetime.date(1000, 1, 1)))
def test_a_shown_date_is_that_date(date: datetime.date) -> None:
    shown = readable(typed(date.isoformat(), "date"), GENERIC)
    assert datetime.datetime.strptime(shown, "%d %B %Y").date() == date


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3) | st.integers())
def test_a_shown_number_is_that_number(number: Decimal | int) -> None:
    text = str(number)
    for kind in ("decimal", "double"):
        shown = readable(typed(text, kind), GENERIC)
        assert Decimal(shown.replace(",", "")) == number


@given(st.text(st.characters(exclude_categories=("Cs",))), st.sampled_from(["date", "integer"]))
def test_what_is_not_in_the_form_of_its_datatype_is_shown_in_one_line(text: str, kind: str) -> None:
    import pyoxigraph as ox

    shown = readable(str(ox.Literal(text, datatype=ox.NamedNode(XSD + kind))), GENERIC)
    assert shown.isprintable() and shown


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    folder = tmp_path_factory.mktemp("literals")
    objects = [
        '"42"', typed("42", "integer"), typed("42", "decimal"), '"42"@de', typed("42", "integer"),
        typed("1969-07-20", "date"), typed("1969-07-20T00:00:00Z", "dateTime"), '"20 July 1969"',
        typed("1234567", "integer"), typed("1234567", "decimal"), '"1,234,567"',
    ]  # fmt: skip
    lines = "".join(f"<urn:s> <urn:p> {term} .\n" for term in objects)
    (folder / "kg.nt").write_text(lines, encoding="utf-8")
    return open_kg(str(folder / "kg.nt"), cache=folder / "cache")


def test_names_of_literals_are_unique(kg: KnowledgeGraph) -> None:
    terms = sorted({fact.tail for fact in kg.store.facts()})
    names = dict(zip(terms, kg.labels.names(terms), strict=True))
    assert len(set(names.values())) == len(terms) == 10
    assert names['"42"'] == "42"
    assert names[typed("42", "integer")] == "42 (integer)"
    assert names['"42"@de'] == "42 (de)"
    assert names[typed("1969-07-20T00:00:00Z", "dateTime")] == "20 July 1969 (dateTime)"
    assert names[typed("1969-07-20", "date")] == "20 July 1969"
    assert all(kg.labels.named(name) == [term] for term, name in names.items())


def test_a_literal_is_found_and_scored_by_its_lexical_form_too(kg: KnowledgeGraph) -> None:
    date = typed("1969-07-20", "date")
    (info,) = kg.labels.describe([date])
    assert (info.label, info.name) == ("1969-07-20", "20 July 1969")
    assert kg.labels.named("1969-07-20") == [date]
    answer = Predicted(date, (info.name, info.label))
    for gold in ("1969-07-20", "20 July 1969"):
        scores = strict([Gold(label=gold)], [answer])
        assert scores and scores["hits_at_1"] == 1.0
