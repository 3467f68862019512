"""What an agent meets that has nothing but the tools: what one returns, the others take."""

import asyncio
import contextlib
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from groundwalk.agent.answers.queries import executed
from groundwalk.agent.kg import open_kg
from groundwalk.agent.options import Options
from groundwalk.agent.stopping import look_up
from groundwalk.cli.preparing import Prepared
from groundwalk.cli.session import Session
from groundwalk.graphs import build_graph

mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")

from groundwalk.cli.mcp import described  # noqa: E402
from groundwalk.cli.mcp_server import mcp_server  # noqa: E402
from groundwalk.cli.mcp_tools import Tools  # noqa: E402
from groundwalk.graphs.about import About  # noqa: E402

QUESTIONS = (
    "What is the capital of Mongolia?",
    "Which countries border both Germany and Italy?",
    "How many countries in Africa have French as an official language?",
    "What is the longest river that flows into the Black Sea?",
    "Which members of the European Union have no coast?",
    "What currency is used in the country whose capital is Nairobi?",
    "Which countries border Luxembourg?",
    "Which rivers longer than 2000 km flow through Russia?",
    "Is Vienna the capital of Austria?",
    "Which countries border the country whose capital is Vienna?",
)
STAFF = """@prefix : <https://shop.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:Engineer a owl:Class ; rdfs:label "engineer" .
:onCall rdfs:label "on call for" . :memberOf rdfs:label "member of" .
:gold rdfs:label "Gold" . :payments rdfs:label "payments" . :postgres rdfs:label "postgres" .
:john1 a :Engineer ; rdfs:label "John Smith" ; :memberOf :gold ; :onCall :payments .
:john2 rdfs:label "John Smith" ; :memberOf :gold ; :onCall :postgres .
:aiko a :Engineer ; rdfs:label "Aiko Tanaka" ; :memberOf :gold .
"""
JOHN = "<https://shop.example/john1>", "<https://shop.example/john2>"
ENGINEERS = {
    "start": {"entity": "Gold"},
    "steps": [{"relation": "member of", "inverse": True}],
    "class": "engineer",
}


def opened(address: str, **more: Any) -> Session:
    kg = open_kg(address, **more)
    return Session(kg, build_graph(kg=kg), Options(on_ambiguous="error"))


@pytest.fixture(scope="module")
def world() -> Iterator[Session]:
    session = opened("world")
    with contextlib.closing(session.kg):
        yield session


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = tmp_path_factory.mktemp("staff")
    (folder / "staff.ttl").write_text(STAFF, encoding="utf-8")
    session = opened(str(folder / "staff.ttl"), cache=folder)
    with contextlib.closing(session.kg):
        yield session


def server(session: Session) -> Any:
    def about() -> About:
        return described(session, tries=False, stopped=threading.Event())

    return mcp_server(Tools(Prepared(lambda: session), Prepared(about)))


def called(session: Session, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """The results of some calls, one after the other."""

    async def call() -> list[Any]:
        async with mcp.Client(server(session)) as client:
            return [await client.call_tool(*each) for each in calls]

    return asyncio.run(call())


def text(result: Any) -> str:
    return result.content[0].text


def data(result: Any) -> Any:
    assert not result.is_error, text(result)
    return result.structured_content


@pytest.fixture(scope="module")
def asked(world: Session) -> dict[str, Any]:
    """What is said to each question."""
    answers = called(world, *(("ask", {"question": question}) for question in QUESTIONS))
    return dict(zip(QUESTIONS, answers, strict=True))


def test_pages_of_values_make_the_whole(world: Session) -> None:
    asked = {"entity": "European Union", "relation": "member of"}
    pages = [("neighbours", {**asked, "limit": 10, "page": page}) for page in range(1, 5)]
    whole, sample, *parts = map(
        data,
        called(
            world,
            ("neighbours", {**asked, "limit": 200}),
            ("neighbours", {"entity": "European Union"}),
            *pages,
        ),
    )
    (all_of_it,) = whole["facts"]
    paged = [value for part in parts for fact in part["facts"] for value in fact["values"]]
    assert paged == all_of_it["values"] and len(set(paged)) == whole["total"] == 27
    assert [part["more"] for part in parts] == [True, True, False, False]
    members = next(fact for fact in sample["facts"] if fact["relation"] == "member of")
    assert members["values"] == paged[:5] and members["more"]


def test_what_is_past_the_end_is_told(world: Session) -> None:
    past = {"entity": "European Union", "relation": "member of", "limit": 10, "page": 4}
    values, relations, graph = called(
        world,
        ("neighbours", past),
        ("neighbours", {"entity": "Austria", "page": 9}),
        ("describe_graph", {"page": 99}),
    )
    assert "There is no page 4: there are 27 values." in text(values).splitlines()
    assert "There is no page 9: there are 14 relations." in text(relations).splitlines()
    assert text(graph).splitlines()[1].startswith("There is no page 99")


def test_every_query_of_a_question_can_be_given_back(world: Session, asked: dict[str, Any]) -> None:
    found = [data(result) for result in asked.values()]
    assert all(one["status"] == "answered" for one in found)
    given = [("query", {"query": one["query"], "mentions": one["mentions"]}) for one in found]
    for one, again in zip(found, map(data, called(world, *given)), strict=True):
        assert one["answers"] == again["answers"] and one["computed"] == again["computed"]
        assert (one["query"], one["mentions"]) == (again["query"], again["mentions"])


def test_every_proof_proves(world: Session, asked: dict[str, Any]) -> None:
    answers = [answer for result in asked.values() for answer in data(result)["answers"]]
    assert len(answers) > 40 and not any(answer["more_triples"] for answer in answers)
    chains = [answer["proof"] for answer in answers if answer["proof"]]
    results = called(world, *(("verify_chain", {"chain": chain}) for chain in chains))
    assert {data(result)["verdict"] for result in results} == {"supported"}


def test_a_proof_is_whole(asked: dict[str, Any]) -> None:
    both, counted = asked[QUESTIONS[1]], asked[QUESTIONS[2]]
    assert {len(answer["proof"]) for answer in data(both)["answers"]} == {2}
    assert "Italy -> borders -> Austria" in text(both).splitlines()
    assert {len(answer["proof"]) for answer in data(counted)["answers"]} == {2}
    assert "Benin -> official language -> French" in text(counted).splitlines()


def test_what_an_extreme_was_compared_with_is_folded(world: Session, asked: dict[str, Any]) -> None:
    longest = asked[QUESTIONS[3]]
    assert "compared with 3 others: see proof_of 0" in text(longest).splitlines()
    (danube,) = data(longest)["answers"]
    assert ["Danube", "length in kilometres", "2850"] in danube["proof"]
    assert data(longest)["triples"] == [] and data(longest)["more_triples"] == 3
    (others,) = called(world, ("ask", {"question": QUESTIONS[3], "proof_of": 0}))
    assert [triple[0] for triple in data(others)["triples"]] == [
        "Dnieper", "Dniester", "Southern Bug",
    ]  # fmt: skip


def test_a_long_proof_is_paged(world: Session) -> None:
    grouped = {
        "start": {"class": "country"},
        "group": [{"relation": "continent"}],
        "columns": [{"agg": "count"}],
    }
    whole, first, second, none = called(
        world,
        ("query", {"query": grouped}),
        ("query", {"query": grouped, "proof_of": 1, "limit": 60}),
        ("query", {"query": grouped, "proof_of": 1, "limit": 60, "page": 2}),
        ("query", {"query": grouped, "proof_of": 7}),
    )
    africa, asia = data(whole)["answers"][:2]
    assert africa["label"] == "Africa" and len(africa["proof"]) == 60 and asia["proof"] == []
    assert "and 338 more triples of the proof of Africa and 5 other answers" in text(whole)
    assert len(text(whole)) < 3_000
    pages = [triple for page in (first, second) for triple in data(page)["answers"][0]["proof"]]
    assert len(pages) == data(first)["total"] == 60 + africa["more_triples"]
    assert pages[:60] == africa["proof"] and data(first)["more"] and not data(second)["more"]
    assert none.is_error and "there is no answer 7: there are 6 (count from 1)" in text(none)


def test_rows_come_in_pages(world: Session) -> None:
    capitals = {"start": {"class": "country"}, "columns": [{"steps": [{"relation": "capital"}]}]}
    first, second = called(
        world,
        ("query", {"query": capitals, "limit": 3}),
        ("query", {"query": capitals, "limit": 3, "page": 2}),
    )
    assert text(first).splitlines()[0] == "Afghanistan | Kabul; Albania | Tirana; Algeria | Algiers"
    assert text(second).splitlines()[0].startswith("Andorra | Andorra la Vella; Angola | Luanda")
    assert data(first)["total"] == 198 and data(first)["more"]
    assert "Note: rows 1 to 3 of the 198 listed; page 2 has the next" in text(first).splitlines()
    assert [answer["label"] for answer in data(second)["answers"]] == [
        row[0] for row in data(second)["rows"]
    ]


def test_doubt_comes_first(world: Session) -> None:
    results = called(
        world,
        ("ask", {"question": "Which country is Luxembourg in?"}),
        ("ask", {"question": "Which friendly countries border Austria?"}),
        ("ask", {"question": "What is the capital of Congo?"}),
    )
    for result in results:
        found, first = data(result), text(result).splitlines()[0]
        sure = f" ({found['confidence']:.2f})" if found["confidence"] else ""
        status = "answered, but not surely" if found["answers"] else found["status"]
        assert first.startswith(f"{status}{sure}: ")
        assert found["status"] != "answered" or found["confidence"] < 0.6


def offered(result: Any) -> list[str]:
    """What an ambiguous question is offered, in the brackets in which it is to be asked again."""
    lines = [line for line in text(result).splitlines() if line.startswith("[")]
    assert [line[1:].split("]")[0] for line in lines] == [
        match["term"] for match in data(result)["candidates"]
    ]
    return [line.split("]")[0] + "]" for line in lines]


def test_brackets_take_what_is_offered(staff: Session) -> None:
    ask = "What is {} on call for?"
    (unclear,) = called(staff, ("ask", {"question": ask.format("John Smith")}))
    assert data(unclear)["status"] == "ambiguous"
    (listed,) = called(staff, ("find_entity", {"name": "John Smith"}))
    labels = {match["term"]: match["label"] for match in data(listed)["entities"]}
    second = labels[JOHN[1]]
    written = {
        **dict(zip(offered(unclear), ("payments", "postgres"), strict=True)),
        f"[{second}]": "postgres",
        f"[{second} ({JOHN[1]})]": "postgres",
        f"[John Smith {JOHN[0]}]": "payments",
        f"[{JOHN[0][1:-1]}]": "payments",
    }
    graph: Any = staff.graph.with_state()
    linked = {name: graph.invoke({"question": ask.format(name)})["topics"] for name in written}
    services = {"payments": JOHN[0], "postgres": JOHN[1]}
    assert {name: [topic["term"] for topic in topics] for name, topics in linked.items()} == {
        name: [services[service]] for name, service in written.items()
    }


def test_brackets_take_a_described_name(world: Session) -> None:
    cities = ("[Córdoba (city)]", "[Córdoba (city in Andalusia, Spain)]")
    results = called(
        world, *(("ask", {"question": f"Which country is {city} in?"}) for city in cities)
    )
    assert [data(result)["answers"][0]["label"] for result in results] == ["Argentina", "Spain"]


@pytest.mark.parametrize(
    "call",
    [
        ("neighbours", {"entity": "John Smith"}),
        ("query", {"query": {"start": {"entity": "John Smith"}}}),
        ("query", {"query": {"start": [0]}, "mentions": ["John Smith"]}),
        ("verify_chain", {"chain": [["John Smith", "member of", "Gold"]]}),
    ],
    ids=["neighbours", "query", "mention", "verify_chain"],
)
def test_no_homonym_is_taken_silently(staff: Session, call: tuple[str, dict[str, Any]]) -> None:
    (result,) = called(staff, call)
    assert result.is_error and all(term in text(result) for term in JOHN)


def test_a_proof_tells_homonyms_apart(staff: Session) -> None:
    (members,) = called(staff, ("query", {"query": ENGINEERS}))
    chains = {answer["label"]: answer["proof"] for answer in data(members)["answers"]}
    assert chains["John Smith"][1] == [f"John Smith {JOHN[0]}", "type", "engineer"]
    assert chains["Aiko Tanaka"][1] == ["Aiko Tanaka", "type", "engineer"]
    assert f"John Smith {JOHN[0]} -> type -> engineer" in text(members).splitlines()
    again = called(staff, *(("verify_chain", {"chain": chain}) for chain in chains.values()))
    assert {data(result)["verdict"] for result in again} == {"supported"}


def test_terms_are_told_in_words_too(staff: Session) -> None:
    asked = {"entity": "Gold", "relation": "member of"}
    with_terms, without = called(
        staff, ("neighbours", {**asked, "terms": True}), ("neighbours", asked)
    )
    assert all(f"John Smith {term}" in text(with_terms).replace(" (", "(") for term in JOHN[:1])
    assert JOHN[1] in text(with_terms) and JOHN[1] not in text(without)


def test_names_are_taken_as_people_write_them(world: Session) -> None:
    vienna = "https://groundwalk.example/world/city/vienna"
    results = called(
        world,
        ("neighbours", {"entity": "austria", "relation": "Capital"}),
        ("neighbours", {"entity": vienna}),
        ("find_entity", {"name": vienna}),
        ("query", {"query": {"start": {"entity": "austria"}, "steps": [{"relation": "capital"}]}}),
    )
    for result in results:
        assert "Vienna" in text(result) and not result.is_error


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (("find_entity", {"name": " "}), "the name is empty (give a name or a term)"),
        (("find_entity", {"name": "Vienna", "limit": True}), "neither true nor false"),
        (
            (
                "query",
                {"query": {"start": {"entity": "Austria"}, "steps": [{"relation": "loves"}]}},
            ),
            "describe_graph lists what there is)",
        ),
        (("query", {"query": {"star": [0]}}), "its keys are start, steps, class"),
        (("query", {"query": {"start": {"entity": "Zzyzx Qqq"}}}), "(find_entity lists names"),
        (("ask", {"question": "why " * 1_001}), "more than 4,000 (ask a shorter one)"),
        (("verify_chain", {"chain": [["a", "b", "c"]] * 1_001}), "give at most 1,000 of them"),
        (("verify_chain", {"chain": []}), "chain cannot be []: give at least 1 (Triples, each"),
        (("verify_chain", {"chain": "Austria"}), 'chain cannot be "Austria": give a list ('),
        (("neighbours", {"entity": 5}), "entity cannot be 5: give a text (Its name or term"),
        (("neighbours", {"entity": "Austria", "terms": 5}), "terms cannot be 5: give true or"),
        (("find_entity", {"name": "Vienna", "limit": "x"}), 'limit cannot be "x": give a whole'),
        (("verify_chain", {"chain": None}), "chain cannot be null: give a list ("),
        (("find_entity", {"name": "Vienna", "limit": True}), "limit cannot be true: "),
        (
            ("find_entity", {"name": "Vienna", "limit": "x" * 99}),
            f'be "{"x" * 59}...: give a whole',
        ),
        (("find", {"name": "Vienna"}), "there is no tool 'find': describe_graph, ask, query,"),
        (("query", {"query": {"start": {"class": "Zzz"}}}), "describe_graph lists what there is)"),
    ],
)
def test_errors_are_for_an_agent(
    world: Session, call: tuple[str, dict[str, Any]], message: str
) -> None:
    (result,) = called(world, call)
    assert result.is_error and message in text(result)
    assert not re.search(r"docs/|groundwalk kg|--\w", text(result))


def test_a_query_is_taken_with_its_mentions_beside_it_or_around_it(world: Session) -> None:
    borders: Any = {"start": [0], "steps": [{"relation": "borders"}]}
    whole = {"mentions": ["Portugal"], "query": borders}
    results = called(
        world,
        ("query", {"query": whole}),
        ("query", {"query": {"query": borders}, "mentions": ["Portugal"]}),
        ("query", {"query": {"query": borders, "mentions": None}, "mentions": ["Portugal"]}),
        ("query", {"query": whole, "mentions": None}),
    )
    for result in results:
        assert [answer["label"] for answer in data(result)["answers"]] == ["Spain"]
        assert data(result)["query"] == borders
        assert data(result)["mentions"] == [{"text": "Portugal"}]
    (twice,) = called(world, ("query", {"query": whole, "mentions": ["Spain"]}))
    assert text(twice) == "the mentions are given twice (give them once)"
    countries = {"start": {"class": "country"}, "answer": "count"}
    (none,) = called(world, ("query", {"query": {"query": countries, "mentions": None}}))
    assert data(none)["mentions"] == [] and data(none)["computed"]


def test_no_path_of_the_server_is_told(staff: Session) -> None:
    async def read() -> str:
        async with mcp.Client(server(staff)) as client:
            overview = await client.read_resource("groundwalk://graph")
            return overview.contents[0].text

    assert staff.kg.source.startswith("/")
    described, hello = called(staff, ("describe_graph", {}), ("ask", {"question": "hello"}))
    assert data(described)["source"] == "staff.ttl"
    assert text(hello).startswith("Hello. staff.ttl holds ")
    assert text(described) == asyncio.run(read())
    assert "/" not in text(described) + text(hello)


def test_a_class_has_members_where_it_has_no_facts(staff: Session) -> None:
    term = "<https://shop.example/Engineer>"
    for name in (term, "https://shop.example/Engineer"):
        (around,) = called(staff, ("neighbours", {"entity": name}))
        line = (
            f'It is a class: its members are those of the query {{"start": {{"class": "{term}"}}}}.'
        )
        assert text(around).splitlines()[1:] == ["The graph has no such facts.", line]
    (members,) = called(staff, ("query", {"query": {"start": {"class": term}}}))
    assert {answer["label"] for answer in data(members)["answers"]} >= {"Aiko Tanaka"}


def test_a_triple_says_which_of_its_names_are_unknown(world: Session) -> None:
    chain = [["Austria", "capital", "Vienna"], ["Austria", "capitol", "Wiener <b>"]]
    (result,) = called(world, ("verify_chain", {"chain": chain}))
    assert text(result).splitlines()[-1].endswith("(unknown name: capitol; Wiener ‹b›)")
    assert data(result)["triples"][1]["flags"] == ["unknown name"]


def test_a_class_is_said_once(staff: Session) -> None:
    first, second = called(staff, *(("find_entity", {"name": term}) for term in JOHN))
    assert text(first) == f"John Smith (engineer)  {JOHN[0]}"
    assert JOHN[1] in text(second)


def test_a_step_the_wrong_way_is_told(world: Session) -> None:
    austria: dict[str, Any] = {"start": {"entity": "Austria"}}
    lakes, capital = called(
        world,
        ("query", {"query": {**austria, "steps": [{"relation": "lake in"}]}}),
        ("query", {"query": {**austria, "steps": [{"relation": "capital", "inverse": True}]}}),
    )
    assert data(lakes)["notes"] == [
        "lake in leads to these, not from them: it is walked the other way"
    ]
    assert data(capital)["notes"] == [
        "capital leads from these, not to them: it is walked the other way"
    ]


def test_a_long_chain_is_judged_in_pages(world: Session) -> None:
    chain = [["Austria", "capital", "Vienna"]] * 199 + [["Austria", "capital", "Graz"]]
    (result,) = called(world, ("verify_chain", {"chain": chain}))
    judged = data(result)
    assert judged["verdict"] == "unsupported" and judged["failed"] == [200]
    assert len(judged["triples"]) == 50 and judged["total"] == 200 and judged["more"]
    assert "Not supported, the first of them: 200." in text(result).splitlines()
    assert len(text(result)) < 4_000


def test_true_triples_without_a_chain_are_told(world: Session) -> None:
    chain = [["Austria", "capital", "Vienna"], ["Kenya", "capital", "Nairobi"]]
    (result,) = called(world, ("verify_chain", {"chain": chain}))
    assert "The graph holds each of its triples, but they make no chain." in text(result)


def test_progress_rises(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the graph is opened, and after that: MCP forbids that it falls."""
    monkeypatch.setattr("groundwalk.cli.preparing.BEAT", 0.01)
    steps: list[float] = []

    def open_session() -> Session:
        time.sleep(0.1)
        return opened("world")

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        steps.append(progress)

    async def ask() -> None:
        session = Prepared(open_session)
        tools = Tools(session, Prepared[About](lambda: pytest.fail("nobody asked")))
        async with mcp.Client(mcp_server(tools)) as client:
            query = {"query": {"start": {"entity": "Austria"}}}
            await client.call_tool("query", query, progress_callback=tell)
        session.get().kg.close()

    asyncio.run(ask())
    assert len(steps) > 2 and steps == sorted(set(steps))


def test_work_ends_with_the_call(world: Session, caplog: pytest.LogCaptureFixture) -> None:
    """Within a node too; LangGraph makes an error of the cancellation, which nobody sees."""
    begun, ended = threading.Event(), threading.Event()
    graph = world.graph

    class Busy:
        checkpointer = None

        def stream(self, turn: Any, *rest: Any, **how: Any) -> Iterator[Any]:
            begun.set()
            try:
                for _ in range(600):
                    time.sleep(0.01)
                    try:
                        look_up()
                    except BaseException as error:
                        raise RuntimeError("cancelled in a node") from error
            finally:
                ended.set()
            yield from graph.stream(turn, *rest, **how)

    async def give_up() -> None:
        session = Session(world.kg, cast(Any, Busy()), world.options)
        async with mcp.Client(server(session), mode="legacy") as client:
            query = {"query": {"start": {"entity": "Austria"}}}
            call = asyncio.create_task(client.call_tool("query", query))
            await asyncio.to_thread(begun.wait, 60)
            call.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await call
            since = time.monotonic()
            assert await asyncio.to_thread(ended.wait, 60)
            assert time.monotonic() - since < 3

    asyncio.run(give_up())
    assert not caplog.records


def test_queries_beside_one_another_share_no_numbers(
    world: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The arrays of a graph are of one query at a time."""
    lent, both = list[Any](), threading.Barrier(2, timeout=60)

    def executed_beside(kg: Any, facts: Any, bound: Any, **more: Any) -> Any:
        lent.append(facts)
        both.wait()
        return executed(kg, facts, bound, **more)

    monkeypatch.setattr("groundwalk.agent.nodes.run_query.executed", executed_beside)

    async def both_at_once() -> list[Any]:
        async with mcp.Client(server(world)) as client:
            steps = [{"relation": "capital"}]
            trees = ({"start": {"entity": n}, "steps": steps} for n in ("Austria", "Kenya"))
            calls = (client.call_tool("query", {"query": tree}) for tree in trees)
            return await asyncio.gather(*calls)

    results = asyncio.run(both_at_once())
    assert [data(result)["answers"][0]["label"] for result in results] == ["Vienna", "Nairobi"]
    assert lent[0] is not lent[1]


def test_a_wrong_prompt_is_told_in_a_line(world: Session, caplog: pytest.LogCaptureFixture) -> None:
    async def ask() -> list[str]:
        refused: list[str] = []
        async with mcp.Client(server(world)) as client:
            for name in ("answer_from_graph", "none"):
                with pytest.raises(mcp.MCPError) as error:
                    await client.get_prompt(name, {})
                refused.append(str(error.value))
        return refused

    assert asyncio.run(ask()) == [
        "answer_from_graph needs question",
        "there is no prompt 'none': answer_from_graph",
    ]
    assert not caplog.records


def test_names_of_a_wide_graph_stay_short(tmp_path: Path) -> None:
    lines = [f"{'long ' * 100}{n}\trelation {'long ' * 100}{n}\tb{n}\n" for n in range(30)]
    (tmp_path / "wide.tsv").write_text("".join(lines), encoding="utf-8")
    with contextlib.closing(open_kg(str(tmp_path / "wide.tsv"), cache=tmp_path)) as kg:
        session = Session(kg, cast(Any, None), Options())
        (result,) = called(session, ("describe_graph", {}))
    assert len(str(data(result))) < 13_000 and len(text(result)) < 11_000
