import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from groundwalk.agent.answers import class_words
from groundwalk.agent.conversation.threads import close_threads, list_threads
from groundwalk.agent.errors import GroundwalkError, InputError
from groundwalk.agent.kg import open_kg
from groundwalk.agent.options import Options
from groundwalk.cli.chat.commands import COMMANDS, perform
from groundwalk.cli.chat.loop import converse
from groundwalk.cli.chat.prompt import Completing
from groundwalk.cli.chat.talk import Talk, Wanted
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from rich.console import Console


class Said:
    """A reader of given lines."""

    def __init__(self, *lines: str) -> None:
        self._lines = iter(lines)

    def question(self) -> str | None:
        return next(self._lines, None)

    def choice(self, prompt: str) -> str:
        line = self.question()
        if line is None:
            raise EOFError
        return line


@pytest.fixture(scope="module")
def shared() -> Talk:
    wanted = Wanted("gcr", "bundled", "none", "cpu", "auto", None, Options(), (), False, None)
    return Talk(open_kg("world"), wanted, Console())


@pytest.fixture
def talk(shared: Talk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Talk]:
    """A conversation that begins, with a model that is loaded once, and threads of its own."""
    monkeypatch.setenv("GROUNDWALK_THREADS", str(tmp_path / "threads.sqlite"))
    before = shared.wanted
    shared.console = Console(
        file=io.StringIO(), width=100, markup=False, highlight=False, soft_wrap=True
    )
    shared.over = False
    yield shared
    if opened := shared._engine._threads.pop(True, None):  # pyright: ignore[reportPrivateUsage]
        close_threads(opened)
    shared.wanted = before
    shared.change()
    perform(shared, "/clear")


def shown(talk: Talk) -> str:
    file = talk.console.file
    assert isinstance(file, io.StringIO)
    text = file.getvalue()
    file.seek(0)
    file.truncate()
    return text


def completions(talk: Talk, line: str) -> list[str]:
    event = CompleteEvent(text_inserted=True)
    return [own.text for own in Completing(talk).get_completions(Document(line), event)]


def test_help_has_every_command_in_a_line_of_its_own(talk: Talk) -> None:
    perform(talk, "/help all")
    lines = shown(talk).splitlines()
    for command in COMMANDS.values():
        assert sum(line.split()[:1] == [command.name] for line in lines) == 1
        assert command.about in "\n".join(lines) and "\n" not in command.about


@pytest.mark.parametrize(
    ("line", "near"), [("/wy", "/why"), ("/spaqrl", "/sparql"), ("/hlep x", "/help")]
)
def test_what_is_no_command_suggests_the_nearest(talk: Talk, line: str, near: str) -> None:
    with pytest.raises(InputError) as caught:
        perform(talk, line)
    assert "is no command" in caught.value.message and f"did you mean {near}?" in caught.value.hint


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("/entity", "needs NAME"),
        ("/kg x", "takes nothing"),
        ("/why", "no answer yet"),
        ("/paths", "no answer yet"),
        ("/verify", "no answer yet"),
        ("/explain tree", "no answer yet"),
        ("/explain pdf", "none of tree"),
        ("/export", "needs FILE"),
        ("/export >", "ending"),
        ("/export x.md", "nothing to export"),
        ("/export x.html", "no answer yet"),
        ("/export x.doc", "ending"),
        ("/set wdth=5", "no option"),
        ("/set width=x", "width"),
        ("/method gcrr", "no method"),
        ("/method paths", "a file of what a retriever found"),
        ("/model /no/such/folder", "no such model"),
        ("/llm openai", "not the name"),
        ("/neighbours Narnia Zyx", "has nothing"),
    ],
)
def test_wrong_commands_change_nothing(talk: Talk, line: str, word: str) -> None:
    before = talk.wanted
    with pytest.raises(GroundwalkError, match=word):
        perform(talk, line)
    assert talk.wanted == before and not talk.over


def test_an_error_is_a_line_and_the_conversation_goes_on(talk: Talk) -> None:
    converse(
        talk, Said("/nonsense", " ", "/method gcrr", "x" * 5000, "/entity Peru", "/quit", "/kg")
    )
    lines = shown(talk).splitlines()
    assert len(lines) == 4 and talk.over
    assert lines[0].startswith("/nonsense is no command") and lines[3].startswith("Peru")


def test_entities_and_their_rivals(talk: Talk) -> None:
    perform(talk, "/entity Congo")
    assert len([line for line in shown(talk).splitlines() if "Republic of the Congo" in line]) == 2
    perform(talk, "/entity Narnia Zyx")
    assert "nothing under" in shown(talk)
    perform(talk, "/neighbours Liechtenstein")
    assert "  Liechtenstein ─ capital → Vaduz" in shown(talk).splitlines()


def test_a_class_is_shown_with_its_size_and_a_few_members(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    perform(talk, "/entity Rivers")
    first, *others = shown(talk).splitlines()
    members = "Aare, Adige, Amazon, Amu Darya, Amur, ..."
    assert first.startswith(f"river  a class of 142 members: {members}  <https://")
    assert others[0].startswith("on river  a relation  <") and len(others) == 11
    monkeypatch.setattr(class_words, "MOST_MEMBERS", 100)
    perform(talk, "/entity river")
    assert shown(talk).startswith("river  a class of at least 100 members: ")
    perform(talk, "/entity borders")
    assert shown(talk).startswith("borders  a relation  <https://")


def test_the_facts_about_a_class_are_those_of_its_members(talk: Talk) -> None:
    perform(talk, "/neighbours rivers")
    (line,) = shown(talk).splitlines()
    assert line.startswith("river is a class of 142 members: Aare, ") and "/neighbours" in line
    perform(talk, "/neighbours Congo River")
    assert "  Congo River ─ mouth → Atlantic Ocean" in shown(talk).splitlines()


def test_commands_about_an_answer(talk: Talk, tmp_path: Path) -> None:
    converse(talk, Said("Which countries border Portugal?"))
    assert "Spain [1]" in shown(talk)
    perform(talk, "/why")
    assert shown(talk) == "[1] ✓ Portugal ─ borders → Spain\n"
    perform(talk, "/verify")
    assert "1 of 1 triples are in world" in shown(talk)
    perform(talk, "/paths")
    assert "Portugal -> borders -> Spain" in shown(talk)
    perform(talk, "/sparql")
    assert "SELECT" in shown(talk)
    page = tmp_path / "evidence.html"
    perform(talk, f"/export {page}")
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    for name in ("evidence.html", "own.csv", "own.md"):
        (tmp_path / name).write_text("mine", encoding="utf-8")
        with pytest.raises(InputError, match="is there already"):
            perform(talk, f"/export {tmp_path / name}")
        assert (tmp_path / name).read_text(encoding="utf-8") == "mine"
    with pytest.raises(InputError, match="cannot be written"):
        perform(talk, f"/export {tmp_path / 'no' / 'folder.md'}")
    perform(talk, f"/export {tmp_path / 'chat.md'}")
    text = (tmp_path / "chat.md").read_text(encoding="utf-8")
    assert text.startswith("# chat\n\n## Which countries border Portugal?\n")


def test_a_conversation_remembers_until_it_is_cleared(talk: Talk) -> None:
    converse(talk, Said("What is the capital of Peru?", "and Chile?"))
    assert "Santiago [1]" in shown(talk)
    converse(talk, Said("/clear", "/thread", "/why", "and Kenya?"))
    text = shown(talk)
    assert "begins anew" in text and "Nothing was asked" in text and "no answer yet" in text
    assert "What is the capital of Kenya?" not in text and kept(talk) == {}


def test_what_answers_can_be_changed(talk: Talk) -> None:
    converse(talk, Said("/method plan", "/set beams 4", "What is the capital of Peru?"))
    assert "Lima [1]" in shown(talk)
    assert talk.last.state.get("method") == "plan" and talk.session().options.beams == 4
    converse(talk, Said("/method", "/set", "/model", "/llm"))
    text = shown(talk)
    assert "* plan " in text and "beams=4" in text and "bundled" in text and "none" in text


def test_an_option_that_the_method_does_not_use_is_told_where_it_is_set(talk: Talk) -> None:
    converse(talk, Said("/set free=3"))
    assert shown(talk).splitlines()[1] == "gcr does not use free"


def test_the_lines_may_end_where_a_choice_is_due(talk: Talk) -> None:
    converse(talk, Said("What is the capital of Congo?"))
    assert shown(talk).count("do you mean?") == 1


def test_a_note_on_unused_options_is_told_once(talk: Talk) -> None:
    converse(talk, Said("/set enough=0.5"))
    assert "does not use enough" in shown(talk), "at once"
    converse(talk, Said("What is the capital of Peru?", "and Chile?"))
    assert "does not use" not in shown(talk)
    converse(talk, Said("/method dog", "What is the capital of Peru?", "/method gcr", "and Chile?"))
    assert shown(talk).count("does not use") == 1, "dog tells it too, gcr not again"


def test_pasted_lines_are_questions_of_their_own(talk: Talk) -> None:
    converse(talk, Said("What is the capital of Peru?\n\n  What is the capital of Chile?\n/thread"))
    text = shown(talk)
    assert "you > What is the capital of Chile?" in text and "you > /thread" in text
    assert "Lima [1]" in text.split("you > What is the capital of Chile?")[0]
    assert "Santiago [1]" in text and talk.last.state.get("said") == "What is the capital of Chile?"


def test_an_interrupt_drops_what_was_pasted_after_it(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(_: Talk, __: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setitem(COMMANDS, "/kg", COMMANDS["/kg"]._replace(run=stopped))
    converse(talk, Said("/kg\n/help\n/help", "/threads"))
    text = shown(talk)
    assert "stopped; pasted lines left out: 2" in text and "Ask in plain words" not in text
    assert "No thread is kept" in text


CONGO = "What is the capital of Congo?"
WHICH = "Which Congo do you mean?"


def test_a_choice_is_any_part_of_one_name_or_description(talk: Talk) -> None:
    for reply, capital in (
        ("democratic", "Kinshasa"),
        ("brazza", "Brazzaville"),
        ("Republic of the Congo", "Brazzaville"),
        ("1.", "Kinshasa"),
        (" Kinshasa? ", "Kinshasa"),
    ):
        converse(talk, Said(CONGO, reply))
        text = shown(talk)
        assert text.count(WHICH) == 1 and f"\n{capital} [1]\n" in text, reply


@pytest.mark.parametrize("wrong", ["Narnia", "3", "0", "9" * 5000, "²", "?", "the first", "-1"])
def test_a_wrong_choice_is_asked_for_again(talk: Talk, wrong: str) -> None:
    converse(talk, Said(CONGO, wrong, "democratic republic of the congo"))
    text = shown(talk)
    assert text.count(WHICH) == 2 and text.count("that is none of them") == 1
    assert "Kinshasa [1]" in text


def test_a_part_that_several_have_names_them(talk: Talk) -> None:
    converse(talk, Said(CONGO, "republic", "brazza"))
    text = shown(talk)
    several = "Democratic Republic of the Congo, Republic of the Congo"
    assert f"that fits 2 of them ({several})" in text and "Brazzaville [1]" in text


def test_an_empty_reply_tells_what_can_be_typed(talk: Talk) -> None:
    converse(talk, Said(CONGO, "  ", "2"))
    text = shown(talk)
    assert text.count("type 1 to 2, a part of a name") == 2 and "Brazzaville [1]" in text


@pytest.mark.parametrize(
    "question", ["What is the capital of Peru?", "Peru capital", "tell me the capital of Peru"]
)
def test_a_new_question_takes_the_place_of_a_choice(talk: Talk, question: str) -> None:
    converse(talk, Said(CONGO, question, "/thread"))
    text = shown(talk)
    assert text.count(WHICH) == 1 and f"the question is dropped: {CONGO}\n" in text
    assert "Lima [1]" in text and "Congo" not in text.split("Lima [1]")[1]


def test_commands_are_carried_out_while_a_choice_is_due(talk: Talk) -> None:
    converse(talk, Said(CONGO, "/entity Peru", "/nonsense", "/why", "/thread", "democratic"))
    text = shown(talk)
    assert text.count(WHICH) == 5 and "Kinshasa [1]" in text
    assert "country in South America" in text and "/nonsense is no command" in text
    assert "there is no answer yet" in text
    assert "dropped" not in text


def test_a_command_that_breaks_leaves_the_choice(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Talk, __: str) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setitem(COMMANDS, "/kg", COMMANDS["/kg"]._replace(run=broken))
    converse(talk, Said(CONGO, "/kg", "democratic"))
    text = shown(talk)
    assert "internal error: RuntimeError: out of order" in text and "Kinshasa [1]" in text


def test_the_user_may_leave_while_a_choice_is_due(talk: Talk) -> None:
    converse(talk, Said(CONGO, "/quit", "/kg"))
    text = shown(talk)
    assert talk.over and text.count(WHICH) == 1 and "triples" not in text and "dropped" not in text


@pytest.mark.parametrize("command", ["/clear", "/thread trip"])
def test_another_conversation_drops_the_choice(talk: Talk, command: str) -> None:
    converse(talk, Said(CONGO, command, "2", "/thread"))
    text = shown(talk)
    assert text.count(WHICH) == 1 and f"the question is dropped: {CONGO}\n" in text
    assert "  1  2\n" in text, "what follows is a question"


def test_a_choice_that_is_due_is_answered_as_set_meanwhile(talk: Talk) -> None:
    converse(talk, Said(CONGO, "/set beams=3", "democratic"))
    text = shown(talk)
    assert text.count(WHICH) == 2 and "dropped" not in text
    assert "Kinshasa [1]" in text and "by a vote of 3 paths" in text


def test_lines_pasted_as_a_reply_are_asked_after_it(talk: Talk) -> None:
    converse(talk, Said(CONGO, "\n democratic\nWhat is the capital of Peru?\n", "/thread"))
    text = shown(talk)
    assert text.index("Kinshasa [1]") < text.index("Lima [1]")
    assert "you > What is the capital of Peru?" in text


def test_the_end_of_a_choice_is_not_the_end_of_the_chat(talk: Talk) -> None:
    class Ending(Said):
        def choice(self, prompt: str) -> str:
            raise EOFError

    converse(talk, Ending(CONGO, "What is the capital of Peru?"))
    text = shown(talk)
    assert "the question is dropped" in text and "Lima [1]" in text


PERU = "What is the capital of Peru?"


@pytest.fixture
def demo(talk: Talk) -> Talk:
    """A conversation in the thread demo, of two turns."""
    converse(talk, Said("/thread demo", PERU, "and Chile?"))
    assert "Santiago [1]" in shown(talk)
    return talk


def kept(talk: Talk) -> dict[str, int]:
    """The number of turns of every thread."""
    return {own.id: own.turns for own in list_threads(talk.threads(""))}


def test_clear_begins_a_thread_and_keeps_the_one_before(demo: Talk) -> None:
    converse(demo, Said("and its currency?"))
    assert "\nChilean peso [1]\n" in shown(demo)
    converse(demo, Said("/clear", "/why", "/thread", "and its currency?"))
    text = shown(demo)
    assert "a new thread, demo-2. demo is kept: /thread demo goes on with it." in text
    assert "there is no answer yet" in text and "Nothing was asked" in text
    assert "of Chile" not in text and "Chilean peso [1]" not in text, "it refers to nothing before"
    assert kept(demo) == {"demo": 3, "demo-2": 1}
    converse(demo, Said("/clear", PERU, "/thread demo", "and Bolivia?", "/clear"))
    text = shown(demo)
    assert "new thread, demo-3" in text and "This is thread demo, of 3 turns" in text
    assert "Bolivian boliviano [1]" in text and "new thread, demo-4" in text
    assert kept(demo) == {"demo": 4, "demo-2": 1, "demo-3": 1}


def test_clear_of_a_new_thread_is_that_thread(talk: Talk) -> None:
    converse(talk, Said("/thread demo", "/clear", CONGO, "/clear", PERU))
    assert shown(talk).count("This is thread demo, in which nothing was asked yet.") == 2
    assert kept(talk) == {"demo": 1}


@pytest.mark.parametrize("reply", ["", "no", "y", "yes, please", PERU, "/quit", None])
def test_a_thread_is_deleted_after_a_yes_only(demo: Talk, reply: str | None) -> None:
    converse(demo, Said("/delete demo", *([] if reply is None else [reply])))
    text = shown(demo)
    assert "Thread demo has 2 turns. Type yes" in text and "demo is kept" in text
    assert kept(demo) == {"demo": 2} and demo.last


def test_nothing_is_deleted_where_nobody_can_be_asked(demo: Talk, monkeypatch: Any) -> None:
    def stopped(_: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "reply", stopped)
    with pytest.raises(KeyboardInterrupt):
        perform(demo, "/delete demo")
    fresh = Talk(demo.kg, demo.wanted, demo.console)
    perform(fresh, "/delete demo")
    assert kept(demo) == {"demo": 2}


def test_another_thread_is_deleted_and_this_one_goes_on(demo: Talk) -> None:
    converse(demo, Said("/clear", PERU, "/delete demo", "yes", "/why", "and Chile?"))
    text = shown(demo)
    assert "demo is deleted (2 turns)." in text and "[1] ✓ Peru" in text and "Santiago" in text
    assert kept(demo) == {"demo-2": 2}


def test_the_thread_that_is_deleted_begins_anew(demo: Talk) -> None:
    converse(demo, Said("/delete demo", "Yes", "/why", "/thread", PERU))
    text = shown(demo)
    assert "demo is deleted (2 turns). What you ask now begins it anew" in text
    assert "there is no answer yet" in text and "Nothing was asked" in text and "Lima" in text
    assert kept(demo) == {"demo": 1}


def test_a_choice_is_due_until_its_own_thread_is_deleted(demo: Talk) -> None:
    converse(demo, Said("/clear", PERU, CONGO, "/delete demo", "yes", "/delete demo-2", "yes", "2"))
    text = shown(demo)
    assert text.count(WHICH) == 2 and f"the question is dropped: {CONGO}" in text
    assert kept(demo) == {"demo-2": 1}


def test_what_is_not_there_cannot_be_deleted(demo: Talk) -> None:
    converse(demo, Said("/delete nope", "/delete", "/delete \x1b[2Jnope"))
    lines = shown(demo).splitlines()
    assert lines[:2] == [
        "there is no thread 'nope' (/threads lists them)",
        "/delete needs ID (type /delete ID)",
    ]
    assert len(lines) == 3 and lines[2].isprintable()


def test_completion(talk: Talk) -> None:
    assert completions(talk, "/me") == ["/method"] and completions(talk, "Which /me") == []
    assert set(completions(talk, "/")) == set(COMMANDS)
    assert completions(talk, "/entity portug") == ["Portugal", "Portuguese"]
    assert completions(talk, "/explain ht") == ["html"]
    assert completions(talk, "/set bea") == ["beams="]


def test_tab_completes_names_in_a_question(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    def tab(line: str) -> list[str]:
        event, completing = CompleteEvent(completion_requested=True), Completing(talk)
        made = list(completing.get_completions(Document(line), event))
        return [line[: len(line) + own.start_position] + own.text for own in made]

    assert tab("Which countries border portug")[0] == "Which countries border Portugal"
    assert tab("the capital of united st")[0] == "the capital of United States"
    assert tab("the capital of New ")[0] == "the capital of New Zealand"
    assert all(map(str.isprintable, tab("Which river is in New"))) and len(tab("the")) <= 20
    for nothing in ("Which countries border", "is", "", "  ", "x (", "a\n"):
        assert tab(nothing) == []
    assert completions(talk, "Which countries border portug") == [], "nothing pops up unasked"
    monkeypatch.setattr(talk, "kg", replace(talk.kg, labels=cast(Any, None)))
    assert tab("Which countries border portug") == [], "a graph that is remote is not asked"


def test_a_part_of_a_command_suggests_what_begins_so(talk: Talk) -> None:
    with pytest.raises(InputError, match="/h is no command") as told:
        perform(talk, "/h")
    assert "did you mean /help?" in told.value.with_hint


@pytest.mark.parametrize("line", ["/help why", "/help /why"])
def test_there_is_help_on_one_command(talk: Talk, line: str) -> None:
    perform(talk, line)
    (told,) = shown(talk).splitlines()
    assert told.split()[0] == "/why" and "chains" in told


def test_an_option_is_shown_and_goes_back_to_what_it_was(talk: Talk) -> None:
    converse(talk, Said("/set confidence", "/set confidence=0.2", "/set confidence"))
    assert shown(talk).splitlines() == [
        "confidence is as by default.",
        "confidence is 0.2 from now on.",
        "confidence is 0.2.",
    ]
    converse(talk, Said("/set shown=3", "/set shown=default", "/set confidence=none", "/set"))
    assert "No option is set." in shown(talk) and talk.wanted.options == Options()


def test_a_new_thread_is_told_as_such_with_the_one_like_it(talk: Talk) -> None:
    converse(talk, Said("/thread holiday", "What is the capital of Peru?", "/thread holidya"))
    *_, last = shown(talk).splitlines()
    assert last.startswith("This is a new thread, holidya. Did you mean holiday?")
    converse(talk, Said("/thread holiday"))
    assert "This is thread holiday, of 1 turn so far." in shown(talk)


def test_a_redirection_is_no_part_of_a_name(talk: Talk, tmp_path: Path) -> None:
    converse(talk, Said("What is the capital of Peru?", f"/export > {tmp_path / 'b.md'}"))
    assert "Lima" in (tmp_path / "b.md").read_text(encoding="utf-8")


def test_marks_of_chains_that_do_not_follow_each_other(talk: Talk) -> None:
    converse(talk, Said("Which countries border Austria?", "2, 4-5"))
    assert [line[:3] for line in shown(talk).splitlines()[-3:]] == ["[2]", "[4]", "[5]"]
