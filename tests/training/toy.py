"""A toy graph: four countries with capitals, borders and moneys."""

from groundwalk.agent.kg.terms import Triple
from groundwalk.training.questions.graph import Graph, build_graph, execute
from groundwalk.training.questions.questioner import Sample

COUNTRIES = {
    "france": ("paris", "euro", ("spain", "germany")),
    "spain": ("madrid", "euro", ("france",)),
    "germany": ("berlin", "euro", ("france", "poland")),
    "poland": ("warsaw", "zloty", ("germany",)),
    "iceland": ("reykjavik", "krona", ()),
}


def iri(name: str) -> str:
    return f"<https://toy.example/{name}>"


def toy_facts() -> list[Triple]:
    facts = list[Triple]()
    for country, (capital, money, neighbours) in COUNTRIES.items():
        facts.append(Triple(iri(country), iri("capital"), iri(capital)))
        facts.append(Triple(iri(country), iri("money"), iri(money)))
        facts += [Triple(iri(country), iri("borders"), iri(other)) for other in neighbours]
    return facts


def toy_graph() -> Graph:
    facts = toy_facts()
    kinds = dict[str, str]()
    for country, (capital, money, _) in COUNTRIES.items():
        kinds |= {iri(country): "country", iri(capital): "city", iri(money): "currency"}
    names = {term: term[1:-1].rsplit("/", 1)[1].title() for term in kinds}
    labels = {iri(name): name for name in ("capital", "money", "borders")}
    return build_graph(facts, names=names, kinds=kinds, labels=labels)


def toy_turtle() -> str:
    """The same graph as a file."""
    lines = [
        "@prefix t: <https://toy.example/> .",
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .",
    ]
    kinds = dict[str, str]()
    for country, (capital, money, _) in COUNTRIES.items():
        kinds |= {country: "country", capital: "city", money: "currency"}
    lines += [f't:{kind} rdfs:label "{kind}" .' for kind in ("country", "city", "currency")]
    lines += [
        f't:{name} a t:{kind} ; rdfs:label "{name.title()}" .' for name, kind in kinds.items()
    ]
    lines += [" ".join((*fact, ".")) for fact in toy_facts()]
    return "\n".join(lines) + "\n"


def toy_questions() -> str:
    """Two dozen questions over it with their answers, of which one is held out."""
    lines = list[str]()
    for country, (capital, money, neighbours) in COUNTRIES.items():
        name = f"[{country.title()}]"
        lines += [f"{ask} {name}\t{capital.title()}" for ask in ("the capital of", "who rules")]
        lines += [f"{ask} {name}\t{money.title()}" for ask in ("the money of", "what pays in")]
        if neighbours:
            lines.append(f"who touches {name}\t{'|'.join(own.title() for own in neighbours)}")
    return "\n".join(lines) + "\n"


QUESTIONS = """\
what is the capital of [France]\tParis
what money has [Spain]\tEuro
which countries touch [Germany]\tFrance|Poland
the capital of [Poland]\tWarsaw
the cash of [Iceland]\tKrona
who touches [Spain]\tFrance
"""


def is_answered(graph: Graph, sample: Sample) -> bool:
    """Whether the path of a sample leads from its topic to its answer in the graph."""
    return sample.moves is not None and sample.walk[-1] in execute(
        graph, sample.walk[0], sample.moves
    )
