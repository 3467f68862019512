"""The commands that show something and change nothing."""

import re
from typing import TYPE_CHECKING, Any

from rich.text import Text

from ...agent.errors import InputError
from ...agent.kg.labels.names import normalise, one_line
from ...agent.kg.terms import Path, Step, Term
from ..session import meanings, reply_of
from .talk import Talk

if TYPE_CHECKING:
    from ...agent.kg import KnowledgeGraph
    from ...agent.state import State

_MOST_RIVALS = 10
_MOST_FACTS = 50
_FEW = 5
"""Members of a class that are named."""


_SPAN = r"[1-9][0-9]{0,5}(?:-[1-9][0-9]{0,5})?"
_MARK = re.compile(rf"\[?({_SPAN}(?: *, *{_SPAN}){{0,99}})\]?")
"""The mark of an answer: the numbers of its chains, as `2`, `[2]`, `3-4` or `[3-4, 7]`."""


def why(talk: Talk, mark: str) -> None:
    """The chains of the last answer by their numbers, or those of a mark. Raises InputError."""
    from .screen import chain_line, chains_of

    chains = chains_of(talk.last.state)
    if not chains:
        talk.console.print("There is no chain: nothing was answered.")
        return
    wanted = _marked(mark, len(chains)) if mark else list(range(1, len(chains) + 1))
    if not wanted:
        raise InputError(f"there is no chain {mark}", f"give one of 1 to {len(chains)}")
    for number in wanted:
        talk.console.print(chain_line(number, chains[number - 1]))


def is_mark(talk: Talk, line: str) -> bool:
    """Whether a line is nothing but the mark of an answer that was just shown."""
    if not _MARK.fullmatch(line) or not talk.has_answer:
        return False
    from .screen import chains_of

    return bool(_marked(line, len(chains_of(talk.last.state))))


def _marked(mark: str, chains: int) -> list[int]:
    """The numbers of a mark; none where it is no mark, or not of the first so many chains."""
    match, numbers = _MARK.fullmatch(mark), list[int]()
    for span in match[1].split(",") if match else ():
        first, _, last = span.partition("-")
        ends = int(first), int(last or first)
        if not ends[0] <= ends[1] <= chains:
            return []
        numbers += range(ends[0], ends[1] + 1)
    return numbers


def every_answer(talk: Talk, _: str) -> None:
    """All answers of the last question, a line each; of a card all that the graph says."""
    from ...agent.evidence.reply import printable
    from ..render import answer_text, rows_table
    from ..tables import belongings, column_names

    state = talk.last.state
    if (result := state.get("result")) and result["kind"] == "card":
        _whole_card(talk, state)
        return
    if result and (rows := result.get("rows")):
        names = column_names(state.get("query_tree"), len(rows[0]))
        talk.console.print(rows_table(rows, names, result.get("units", [])))
        return
    answers = state.get("answers", [])
    for answer, owners in zip(answers, belongings(answers), strict=True):
        of = ", ".join(printable(named["label"]) for named in owners)
        talk.console.print(Text(answer_text(answer) + (f" ({of})" if of else "")))
    if not answers:
        talk.console.print("There are no answers.")


def _whole_card(talk: Talk, state: "State") -> None:
    from ...agent.conversation.card import card
    from .screen import ChatScreen

    whole = card(talk.kg, state.get("topics", [])[0], all_facts=True)
    if whole.result:
        ChatScreen(console=talk.console).computed(whole.result, state)
    for note in whole.notes:
        talk.console.print(f"  {one_line(note)}", style="dim")


def paths(talk: Talk, _: str) -> None:
    """All walks of the last question, with their scores."""
    walks = talk.last.state.get("candidates", [])
    for walk in walks:
        line = Text(f"  {walk['score']:7.2f}  ", style="dim")
        talk.console.print(line.append(one_line(walk["text"])))
    if not walks:
        from .screen import chains_of

        looked_up = "The answer was looked up, not chosen among walks; /why shows its triples."
        talk.console.print(looked_up if chains_of(talk.last.state) else "Nothing was walked.")


def verify(talk: Talk, _: str) -> None:
    """Look up every triple of the last answer at the source again."""
    from ...agent.evidence.reply import triples
    from ...agent.kg.verification.claims import verify_paths
    from ..render import step_text

    shown = triples(reply_of(talk.last.state))
    chains = [Path(triple.head, (Step(triple),)) for triple in shown]
    judged = verify_paths(talk.kg.store, {triple.head for triple in shown}, chains)
    for step, verification in zip(shown.values(), judged, strict=True):
        again = {**step, "inverse": False, "verdict": verification.verdict}
        talk.console.print(step_text(again, start=True))  # pyright: ignore[reportArgumentType]
    held = sum(verification.verdict == "supported" for verification in judged)
    where = one_line(talk.kg.source)
    talk.console.print(f"{held} of {len(judged)} triples are in {where}, asked just now")


def explain(talk: Talk, form: str) -> None:
    """The evidence for the last answer in a form. Raises InputError where it is none."""
    from ...agent.evidence import FORMS
    from .. import options

    if not form:
        raise InputError("/explain needs a form", f"give one of {', '.join(FORMS)}")
    options.one_of("/explain", form, *FORMS)
    talk.console.print(evidence(talk, form), end="", soft_wrap=True)


def sparql(talk: Talk, _: str) -> None:
    """The evidence for the last answer as queries."""
    explain(talk, "sparql")


def evidence(talk: Talk, form: Any) -> str:
    """The last answer's evidence. Raises InputError where there is none."""
    from ...agent.evidence import explain as explained

    return explained(form, reply_of(talk.last.state), talk.last.origin)


def entity(talk: Talk, name: str) -> None:
    """What is called so: classes with some members, relations, then entities, the likeliest first.

    Raises ServiceError.
    """
    from ...agent.answers.class_words import names_in_either_number

    words = {word.term: word.relation for word in names_in_either_number(talk.kg, name)}
    names = dict(zip(words, map(one_line, talk.kg.labels.names(list(words))), strict=True))
    for term, is_relation in words.items():
        line = Text(names[term], style="cyan")
        about = "a relation" if is_relation else _members(talk.kg, term)
        line.append(f"  {about}", style="dim")
        talk.console.print(line.append(f"  {one_line(term)}", style="dim"))
    candidates = meanings(talk.kg, name)
    for candidate in candidates[:_MOST_RIVALS]:
        line = Text(one_line(candidate.name), style="cyan")
        about = one_line(candidate.description or candidate.kind)
        line.append(f"  {about}" if about else "", style="dim")
        talk.console.print(line.append(f"  {one_line(candidate.term)}", style="dim"))
    if not candidates and not words:
        talk.console.print(f"The graph has nothing under {one_line(name)!r}.")


def _members(kg: "KnowledgeGraph", class_: Term) -> str:
    """How many members a class has, as far as they are counted, and the names of a few."""
    from ...agent.answers.class_words import MOST_MEMBERS, members_of

    members = list(members_of(kg, class_))
    if not members:
        return "a class without members"
    few = [one_line(name) for name in kg.labels.names(members[:_FEW])]
    count = "1 member" if len(members) == 1 else f"{len(members):,} members"
    bound = "at least " if len(members) >= MOST_MEMBERS else ""
    more = ", ..." if len(members) > _FEW else ""
    return f"a class of {bound}{count}: {', '.join(few)}{more}"


def neighbours(talk: Talk, name: str) -> None:
    """Facts about what a name most likely means, in both directions.

    Of a name that is that of a class, and of no thing, it is told so. Raises InputError and
    ServiceError.
    """
    from ...agent.answers.class_words import names_in_either_number

    candidates = meanings(talk.kg, name)
    classes = [word for word in names_in_either_number(talk.kg, name) if not word.relation]
    if classes and not any(normalise(one.name) == normalise(name) for one in candidates):
        (label,) = talk.kg.labels.names([classes[0].term])
        about = _members(talk.kg, classes[0].term)
        talk.console.print(f"{one_line(label)} is {about} (/neighbours takes the name of a thing)")
        return
    if not candidates:
        raise InputError(f"the graph has nothing under {name!r}", "spell it as the graph does")
    term: Term = candidates[0].term
    (steps,) = talk.kg.listed.neighbours([term], limit=_MOST_FACTS + 1)
    shown = list(dict.fromkeys(step.triple for step in steps))[:_MOST_FACTS]
    terms = list(dict.fromkeys(term for triple in shown for term in triple))
    names = dict(zip(terms, map(one_line, talk.kg.labels.names(terms)), strict=True))
    for head, relation, tail in shown:
        talk.console.print(f"  {names[head]} ─ {names[relation]} → {names[tail]}")
    if len(steps) > _MOST_FACTS:
        talk.console.print(f"  ... and more: these are {_MOST_FACTS}", style="dim")


def kg(talk: Talk, _: str) -> None:
    """The size of the graph, and its relations."""
    from ..render import print_kg

    print_kg(talk.kg, as_json=False)
