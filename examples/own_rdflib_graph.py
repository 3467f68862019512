"""Your own `rdflib.Graph`: every triple of an answer is looked up in it."""

from groundwalk import State, build_graph, kg_of
from rdflib import RDF, RDFS, Graph, Literal, Namespace

EX = Namespace("https://example.org/")
COUNTRIES = {"Ruritania": "Strelsau", "Graustark": "Edelweiss", "Evallonia": "Melina"}

mine = Graph()
for country, city in COUNTRIES.items():
    mine.add((EX[country], RDF.type, EX.country))
    mine.add((EX[country], RDFS.label, Literal(country)))
    mine.add((EX[city], RDFS.label, Literal(city)))
    mine.add((EX[country], EX.capital, EX[city]))
mine.add((EX.Ruritania, EX.borders, EX.Graustark))
mine.add((EX.Ruritania, EX.borders, EX.Evallonia))

# The bundled reader reads your labels; `groundwalk train` tunes it to your graph.
graph = build_graph(kg=kg_of(mine, source="my graph"))


def ask(question: str) -> None:
    """Print the answers, or why there are none."""
    turn: State = {"question": question}
    state = graph.invoke(turn)
    names = [answer["label"] for answer in state["answers"]]
    print(question, names or f"{state['messages'][-1].text} ({state['notes'][0]})")


ask("What is the capital of Ruritania?")
ask("What does Ruritania border?")

mine.remove((EX.Ruritania, EX.capital, EX.Strelsau))  # what the graph no longer holds is not said
ask("What is the capital of Ruritania?")
