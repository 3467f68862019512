"""The values of questions, and how they go together with linked names."""

from itertools import pairwise

import pytest
from groundwalk.agent.query.binding import Mention
from groundwalk.agent.query.named_values import values_in
from groundwalk.agent.query.normal import MentionValue
from groundwalk.agent.query.prompt import Numbered, query_prompt
from groundwalk.agent.query.question import mentions_of
from groundwalk.agent.query.spelling import spelling
from groundwalk.agent.reader.lexicon import words_of
from groundwalk.agent.records import Entity, MentionRecord
from hypothesis import given
from hypothesis import strategies as st


def numbers(question: str) -> list[tuple[str, object, str]]:
    """The numbers of a question: text, size and unit."""
    found = [own for own in values_in(question) if own.kind == "number"]
    return [(own.text, own.value.value, own.value.unit) for own in found]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("more than 1,000,000 people", [("1,000,000", 1_000_000, "")]),
        ("longer than 1,000.5 km?", [("1,000.5", 1000.5, "km")]),
        ("higher than 3000m", [("3000", 3000, "m")]),
        ("larger than 5 square kilometres", [("5", 5, "square kilometres")]),
        ("colder than -5 or +3", [("-5", -5, ""), ("+3", 3, "")]),
        ("from 1990-2000", [("1990", 1990, ""), ("2000", 2000, "")]),
        ("more than 2.5 million in total", [("2.5 million", 2_500_000, "")]),
        ("over 0.5 or .25", [("0.5", 0.5, ""), (".25", 0.25, "")]),
        ("the three largest", [("three", 3, "")]),
        ("twenty-five or twenty five cities", [("twenty-five", 25, ""), ("twenty five", 25, "")]),
        ("two hundred and five thousand km", [("two hundred and five thousand", 205_000, "km")]),
        ("a dozen, two dozen", [("dozen", 12, ""), ("two dozen", 24, "")]),
        ("one two three", [("one", 1, ""), ("two", 2, ""), ("three", 3, "")]),
        ("two and three", [("two", 2, ""), ("three", 3, "")]),
        ("one million and", [("one million", 1_000_000, "")]),
        ("population over 1000 in Africa", [("1000", 1000, "")]),
        ("the 2nd, 3rd and 11th city", []),
        ("version 3.2.1, A380, 3xyz, 1,00, 12_3", []),
        ("someone often weightless", []),
        ("below minus 20 °C", [("minus 20", -20, "°C")]),
        ("minus two", [("minus two", -2, "")]),
        ("over minus €20 or minus 5", [("minus €20", -20, "€"), ("minus 5", -5, "")]),
        ("from minus 10 to minus 5", [("minus 10", -10, ""), ("minus 5", -5, "")]),
        ("12 apples minus 5", [("12", 12, ""), ("5", 5, "")]),
        ("plus or minus 5", [("5", 5, "")]),
        ("5 km-10 km", [("5", 5, "km"), ("10", 10, "km")]),
        ("80 km/h-120 km/h", [("80", 80, "km/h"), ("120", 120, "km/h")]),
        ("-5 °C-10 °C", [("-5", -5, "°C"), ("10", 10, "°C")]),
        ("between minus 5 and 3 km", [("minus 5", -5, "km"), ("3", 3, "km")]),
        ("10 minus 5, 3 kg minus 2", [("10", 10, ""), ("5", 5, ""), ("3", 3, "kg"), ("2", 2, "")]),
        ("one G-209 or two kg-sacks", [("one", 1, ""), ("209", 209, ""), ("two", 2, "kg")]),
    ],
)  # fmt: skip
def test_numbers(question: str, expected: list[tuple[str, object, str]]) -> None:
    assert numbers(question) == expected


@pytest.mark.parametrize(
    ("question", "kind", "expected"),
    [
        ("born before 1990-05-31 or 1990-13-01", "date", ["1990-05-31"]),
        ("since 1990-05", "date", ["1990-05"]),
        ("from 3rd of May 1990 to July 4th, 1991", "date", ["3rd of May 1990", "July 4th, 1991"]),
        ("before 1 Sept. 2001, after Dec 31 2000", "date", ["1 Sept. 2001", "Dec 31 2000"]),
        ("10TH JULY 2025, May 10,2020", "date", ["10TH JULY 2025", "May 10,2020"]),
        ("2020-05-10 May 2021, 1 may 2000 people", "date", ["2020-05-10"]),
        ("May 5 1990s", "date", ["1990s"]),
        ("31 June 1990, 10 houses 2000", "date", []),
        (
            "on 29.02.1996, 2/29/1996, 29/2/1996 or 5/5/1996",
            "date",
            ["1996-02-29", "1996-02-29", "1996-02-29", "1996-05-05"],
        ),
        ("on 30.02.1996, 03/04/1996, 1.2.3.1996", "date", []),
        ("on 03/04/1996", "text", ["03/04/1996"]),
        ("after March 2021 or in Sept. 1990, may 1990", "date", ["March 2021", "Sept. 1990"]),
        ("added in april 2021, march 2021 soldiers", "date", ["april 2021"]),
        ('starting with "New" or “San 3”', "text", ["New", "San 3"]),
        ("the rivers' names contain 'ab'", "text", ["ab"]),
        ("Germany's and France's cities", "text", []),
        ("countries starting with b?", "text", ["b"]),
        ("countries starting with I", "text", ["I"]),
        ("which cities with B are there", "text", ["B"]),
        ("A city that I know in the U.S. with X-rays", "text", []),
    ],
)
def test_dates_and_texts(question: str, kind: str, expected: list[str]) -> None:
    assert [own.text for own in values_in(question) if own.kind == kind] == expected


def test_a_day_in_words_is_compared_as_a_date() -> None:
    (day,) = values_in("hired on the 3rd of May 1990")
    assert day.value == MentionValue("1990-05-03")


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("tours between 1 and 10 July 2025", "1", "10 July 2025"),
        ("tours between the 1st and the 10th of July 2025", "1st", "10th of July 2025"),
        ("from 1 to July 10, 2025", "1", "July 10, 2025"),
        ("between July 1 and July 10, 2025", "July 1", "July 10, 2025"),
        ("tours from 1-10 July 2025", "1", "10 July 2025"),
        ("1-10 July 2025", "1", "10 July 2025"),
        ("between july 1 and July 10, 2025", "july 1", "July 10, 2025"),
        ("tours of 1 July – 10 July 2025", "1 July", "10 July 2025"),
        ("tours of July 1-10, 2025", "July 1", "10, 2025"),
        ("from july 1st to the 10th, 2025", "july 1st", "10th, 2025"),
    ],
)
def test_the_first_day_of_a_range_has_its_month_and_year_from_the_last(
    question: str, first: str, last: str
) -> None:
    days = [(question[day.start : day.end], day.value.value) for day in values_in(question)]
    assert days == [(first, "2025-07-01"), (last, "2025-07-10")]


def test_a_number_before_a_day_is_no_day_where_they_make_no_range() -> None:
    for question in (
        "3 rooms on 10 July 2025",
        "room 9 or 10 July 2025",
        "12 and 10 July 2025",
        "from room 9 to 10 July 2025",
        "size 3-10 July 2025",
        "between February 30 and March 31 2025",
    ):
        assert [value.kind for value in values_in(question)] == ["number", "date"]


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("between march 1 and april 10, 2025", ["2025-03-01", "2025-04-10"]),
        ("between March 1 and April 10, 2025", ["2025-03-01", "2025-04-10"]),
        ("between may 3 and June 10, 2025", ["2025-05-03", "2025-06-10"]),
        ("between 28 December and 3 January 2025", ["2024-12-28", "2025-01-03"]),
        ("between 2025-07-01 and 10 July 2025", ["", "2025-07-10"]),
        ("room 1-10, 2025", []),
        ("July 10-1, 2025", []),
        ("march 5 to 10 2000 soldiers", []),
        ("July 1-3, 2025-05-01", [""]),
    ],
)
def test_a_range_over_months(question: str, days: list[str]) -> None:
    dates = [value for value in values_in(question) if value.kind == "date"]
    assert [date.value.value or "" for date in dates] == days


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("records of the 1980s", [("1980s", "198X")]),
        ("between the 1910's and the 2010s", [("1910's", "191X"), ("2010s", "201X")]),
        ("the 1980s-1990s", [("1980s", "198X"), ("1990s", "199X")]),
        ("in the mid-1980s", [("1980s", "198X")]),
        ("in the 19th century", [("19th century", "18XX")]),
        ("in the 5th century", [("5th century", "04XX")]),
        ("a 12th-century church", [("12th-century", "11XX")]),
        ("the 19th and the 20th centuries", [("19th", "18XX"), ("20th centuries", "19XX")]),
        ("10th-12th century", [("10th", "09XX"), ("12th century", "11XX")]),
        ("records of the 1900s", []),
        ("the 80s and the '90s", []),
        ("the 19th centurion", []),
        ("1980sx and a1980s", []),
        ("the 1230s B.C. and the 99th century", []),
        ("in the 12th century BC", [("12th century BC", "-11XX")]),
        ("the 5th and 4th centuries B.C.", [("5th", "-04XX"), ("4th centuries B.C.", "-03XX")]),
        (
            "from the 5th century BC to the 1st century AD",
            [("5th century BC", "-04XX"), ("1st century AD", "00XX")],
        ),
    ],
)
def test_decades_and_centuries(question: str, said: list[tuple[str, str]]) -> None:
    assert [(date.text, date.value.value) for date in values_in(question)] == said


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("before 1000 BC", [("1000 BC", "-1000")]),
        ("in 590bc, after 300 BCE", [("590bc", "-0590"), ("300 BCE", "-0300")]),
        ("before 10,000 B.C.?", [("10,000 B.C.", "-10000")]),
        ("after 1 AD or in AD 120", [("1 AD", "0001"), ("AD 120", "0120")]),
        ("between 500 and 450 BC", [("500 BC", "-0500"), ("450 BC", "-0450")]),
        ("100 BC-50 C.E.", [("100 BC", "-0100"), ("50 C.E.", "0050")]),
        ("120 ad agencies, 12 bcd, 0 BC", [("120", 120), ("12", 12), ("0", 0)]),
    ],
)
def test_a_year_with_its_era(question: str, said: list[tuple[str, str | int]]) -> None:
    assert [(year.text, year.value.value) for year in values_in(question)] == said


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("born in May?", [("May", "--05")]),
        ("in september or in Dec.", [("september", "--09"), ("Dec", "--12")]),
        ("came in a september or during August", [("september", "--09"), ("August", "--08")]),
        ("each march and any may", []),
        ("hired in March 2021", [("March 2021", "2021-03")]),
        ("born in May or June?", [("May", "--05"), ("June", "--06")]),
        ("in Sept. and Dec., or June", [("Sept", "--09"), ("Dec", "--12"), ("June", "--06")]),
        ("in May, June or July", [("May", "--05"), ("June", "--06"), ("July", "--07")]),
        ("in May or by April or June", [("May", "--05")]),
        ("in May or June 2021", [("May 2021", "2021-05"), ("June 2021", "2021-06")]),
        ("in May and may rain", [("May", "--05")]),
        ("in may, in march, by Theresa May, in May-June, in Mayfair", []),
    ],
)
def test_a_month_without_its_year(question: str, said: list[tuple[str, str]]) -> None:
    assert [(month.text, month.value.value) for month in values_in(question)] == said


def test_other_years_and_seconds_are_numbers() -> None:
    years = numbers("the 1980 prize, 1980's best film")
    assert years == [("1980", 1980, ""), ("1980", 1980, "")]
    seconds = numbers("over 90s, 1250 s and 1241s")
    assert seconds == [("90", 90, "s"), ("1250", 1250, "s"), ("1241", 1241, "s")]


@given(
    st.lists(
        st.sampled_from(
            "1980s 's 1980 19th century - to 0 -5 10 2k million July 1-10, 2025 2025-07-10".split()
        )
    ),
    st.sampled_from(["", " "]),
)
def test_values_never_overlap(words: list[str], between: str) -> None:
    values = values_in(between.join(words))
    assert all(one.end <= other.start for one, other in pairwise(values))


def test_a_letter_after_a_range_with_a_dash_multiplies_both_its_ends() -> None:
    ranges = "towns of 10-20k, 1.5 – 2k, 10-20 km, 500-2k, +49-20k and 2020-01-10k"
    assert [size for _, size, _ in numbers(ranges)] == [
        *(10_000, 20_000),
        *(1_500, 2_000),
        *(10, 20),
        *(500, 2_000),
        *(49, 20_000),
        *(2020, 1, 10_000),
    ]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("between 2 and 4 minutes", [(2, "minutes"), (4, "minutes")]),
        ("from 2 to 4 km", [(2, "km"), (4, "km")]),
        ("between one and two hours", [(1, "hours"), (2, "hours")]),
        ("between 1 and 2 million", [(1_000_000, ""), (2_000_000, "")]),
        ("between 10 and 50 thousand", [(10_000, ""), (50_000, "")]),
        ("between 10 and 50k", [(10_000, ""), (50_000, "")]),
        ("between 900 and 2 thousand", [(900, ""), (2_000, "")]),
        ("over 30 and 2 m tall", [(30, ""), (2, "m")]),
        ("between 20 seconds and 1 minute", [(20, "seconds"), (1, "minute")]),
        ("2 songs and 4 minutes", [(2, ""), (4, "minutes")]),
        ("in group 3 and 4 m tall", [(3, ""), (4, "m")]),
        ("between 0.1 and 2.3 million", [(100_000, ""), (2_300_000, "")]),
        ("between -5000 and 0", [(-5000, ""), (0, "")]),
        ("from -4 to 0.0 °C", [(-4, "°C"), (0, "°C")]),
        ("between -3 and 0 million", [(-3, ""), (0, "")]),
    ],
)
def test_the_first_number_of_a_range_has_what_is_said_of_the_second(
    question: str, expected: list[tuple[float, str]]
) -> None:
    assert [(size, unit) for _, size, unit in numbers(question)] == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("cheaper than $10?", [("10", 10, "$")]),
        ("over 20 €", [("20", 20, "€")]),
        ("over 20€/month", [("20", 20, "€")]),
        ("more than EUR 500", [("500", 500, "EUR")]),
        ("500EUR or 300 chf", [("500", 500, "EUR"), ("300", 300, "chf")]),
        ("under £5", [("5", 5, "£")]),
        ("10 US dollars, 20 Euros", [("10", 10, "US dollars"), ("20", 20, "Euros")]),
        ("ten dollars", [("ten", 10, "dollars")]),
        ("€1.5 million", [("1.5 million", 1_500_000, "€")]),
        ("$2k, $1.5M, $3bn", [("2k", 2_000, "$"), ("1.5M", 1.5e6, "$"), ("3bn", 3e9, "$")]),
        ("1.5M", [("1.5", 1.5, "M")]),
        ("from €1 to €2 million", [("1,000,000", 1_000_000, "€"), ("2 million", 2_000_000, "€")]),
        ("$10-20", [("10", 10, "$"), ("20", 20, "$")]),
        ("between $500 and 2 thousand", [("500", 500, "$"), ("2 thousand", 2_000, "$")]),
        ("over $5 and 4 m tall", [("5", 5, "$"), ("4", 4, "m")]),
        ("a top 10, MAX$5, 10 kr.", [("10", 10, ""), ("5", 5, ""), ("10", 10, "kr")]),
    ],
)
def test_a_currency_is_the_unit_of_its_number(
    question: str, expected: list[tuple[str, float, str]]
) -> None:
    assert numbers(question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("over 3 minutes 30 seconds", [("3 minutes 30", 210, "seconds")]),
        ("9 min 31 s", [("9 min 31", 571, "s")]),
        ("5 feet 11 inches tall", [("5 feet 11", 71, "inches")]),
        ("2 h 3 min 5 s", [("2 h 3 min 5", 7_385, "s")]),
        ("3 minutes and 30 seconds", [("3", 3, "minutes"), ("30", 30, "seconds")]),
        ("3 minutes 90 seconds", [("3", 3, "minutes"), ("90", 90, "seconds")]),
        ("-3 minutes 30 seconds", [("-3", -3, "minutes"), ("30", 30, "seconds")]),
        ("3 km 30 seconds", [("3", 3, "km"), ("30", 30, "seconds")]),
    ],
)
def test_two_numbers_that_say_one_measure_are_one(
    question: str, expected: list[tuple[str, object, str]]
) -> None:
    assert numbers(question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("over 1 000 000", [1_000_000]),
        ("above 50\u202f000 km", [50_000]),
        ("1'250'000 copies", [1_250_000]),
        ("1 500 000 and 2\u00a0500", [1_500_000, 2_500]),
        ("the top 3 100 m runners", [3, 100]),
        ("5 100 2000", [5, 100, 2000]),
        ("call 555 123 4567", [555, 123, 4567]),
        ("in 2012 300 people", [2012, 300]),
    ],
)
def test_thousands_may_be_apart(question: str, expected: list[int]) -> None:
    assert [size for _, size, _ in numbers(question)] == expected


def test_a_time_with_a_colon_is_no_pair_of_numbers() -> None:
    values = values_in("longer than 3:45, at 18:30pm or 1:02:05.5")
    assert [(value.kind, value.text) for value in values] == [
        ("text", "3:45"),
        ("text", "18:30pm"),
        ("text", "1:02:05.5"),
    ]


def test_the_letter_of_a_unit_is_no_text() -> None:
    assert [value.kind for value in values_in("longer than 31 s")] == ["number"]


def test_a_letter_after_digits_multiplies_them() -> None:
    assert numbers("over 50k copies, 1.5k readers, 3km, 2kg, 300K") == [
        ("50k", 50_000, ""),
        ("1.5k", 1_500, ""),
        ("3", 3, "km"),
        ("2", 2, "kg"),
        ("300", 300, "K"),
    ]


def test_every_number_word_is_one() -> None:
    words = spelling()
    for word, number in (*words.numbers.items(), *words.scales.items()):
        assert numbers(f"more than {word} cities") == [(word, number, "")]


def record(question: str, text: str, kind: str = "country") -> MentionRecord:
    """A linked mention."""
    start = question.index(text)
    best = Entity(term=f"<urn:{text}>", label=text, kind=kind, description="", score=1.0)
    return MentionRecord(
        text=text, start=start, end=start + len(text), ambiguous=False, candidates=[best]
    )


def test_names_win_over_values_and_all_are_in_the_order_of_the_text() -> None:
    question = "Which 3 stadiums of Schalke 04 in Germany hold more than 20,000 people?"
    linked = [record(question, "Germany"), record(question, "Schalke 04", "club")]
    found = mentions_of(question, linked)
    assert found.bound == (
        Mention("3"),
        Mention("Schalke 04", "<urn:Schalke 04>"),
        Mention("Germany", "<urn:Germany>"),
        Mention("20,000"),
    )
    assert found.values == {0: MentionValue(3), 3: MentionValue(20_000)}
    assert query_prompt(question, found.numbered, masked=True, instruct=False).endswith(
        "\nwhich <0>3 stadiums of <1>[club] in <2>[country] hold more than <3>[number] people"
    )


def test_there_are_as_many_mentions_as_there_are_pointers() -> None:
    found = mentions_of(" ".join(["100"] * 50), [])
    assert len(found.bound) == len(found.numbered) == len(found.values) == 32


texts = st.text(st.sampled_from("a B1,.-\"'“”5 km two and million\n<>"), max_size=40) | st.text()


@given(texts)
def test_values_are_apart_inside_the_text_and_in_its_order(question: str) -> None:
    found = values_in(question)
    ends = [0, *(own.end for own in found)]
    for before, own in zip(ends, found, strict=False):
        assert before <= own.start < own.end <= len(question)
        assert own.text and own.text in question[own.start : own.end]
    assert mentions_of(question, []).numbered == tuple(
        Numbered(own.start, own.end, own.kind, numbered.shown)
        for own, numbered in zip(found, mentions_of(question, []).numbered, strict=False)
    )


@given(st.integers(0, 10**12), st.sampled_from(["", "-"]), st.booleans())
def test_a_number_is_read_back(size: int, sign: str, grouped: bool) -> None:
    text = sign + (f"{size:,}" if grouped else str(size))
    assert numbers(f"more than {text}?") == [(text, int(f"{sign}{size}"), "")]


def test_brackets_around_a_name_are_read_as_the_name_is() -> None:
    """By the account of words and the general reader too; and no value is taken out of them."""
    marked = "What is the salary of [ Ann (Employee; hired on: 1 March 2019) ] in [1000] days?"
    start = marked.index("Ann")
    end = marked.index(" ]")
    ann = Entity(term="<urn:ann>", label="Ann", kind="Employee", description="", score=1.0)
    record = MentionRecord(
        text=marked[start:end], start=start, end=end, ambiguous=False, candidates=[ann]
    )
    mentions = mentions_of(marked, [record])
    assert [marked[own.start : own.end] for own in mentions.numbered][0] == marked[
        start - 2 : end + 2
    ]
    assert [own.text for own in mentions.bound] == [record["text"], "1000"]
    assert [word.text for word in words_of(marked, mentions.numbered) if word.mention is None][
        :6
    ] == (["what", "is", "the", "salary", "of", "in"])
    assert (
        "["
        not in query_prompt(marked, mentions.numbered[:1], masked=False, instruct=False).split(
            "in"
        )[0]
    )
    unlinked = mentions_of(marked, [])
    assert [own.text for own in unlinked.bound] == ["1000"]


def test_the_unit_of_a_number_is_no_name() -> None:
    def named(question: str, text: str) -> MentionRecord:
        start = question.index(text)
        entity = Entity(term=f'"{text}"', label=text, kind="unit", description="", score=1.0)
        end = start + len(text)
        return MentionRecord(text=text, start=start, end=end, ambiguous=False, candidates=[entity])

    measured = "longer than 35 cm"
    assert [it.text for it in mentions_of(measured, [named(measured, "cm")]).bound] == ["35"]
    town = "over 3 bar harbor hotels"
    assert [it.text for it in mentions_of(town, [named(town, "bar harbor")]).bound][
        -1
    ] == "bar harbor"
    cheap = "under EUR 35"
    assert [it.text for it in mentions_of(cheap, [named(cheap, "EUR")]).bound] == ["35"]
    asked = "35 or fewer with the unit cm"
    assert len(mentions_of(asked, [named(asked, "cm")]).bound) == 2
