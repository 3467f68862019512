"""A small graph of films and places whose names are everyday words, homonyms and acronyms."""

from pathlib import Path

from groundwalk.agent.kg import KnowledgeGraph, open_kg

BASE = "http://example.org/"
GRAPH = f"""
@prefix : <{BASE}> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <https://schema.org/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .

:Film rdfs:label "film"@en . :Person rdfs:label "person"@en . :Place rdfs:label "place"@en .
:Font rdfs:label "font"@en .
:directedBy rdfs:label "directed by"@en . :locatedIn rdfs:label "located in"@en .
:starring rdfs:label "starring"@en ; skos:altLabel "cast"@en .

:it a :Film ; rdfs:label "It"@en ; :directedBy :kubrick .
:what a :Film ; rdfs:label "What Is It"@en ; :directedBy :kubrick .
:m a :Film ; rdfs:label "M"@en ; :directedBy :kubrick .
:starring-film a :Film ; rdfs:label "Starring"@en ; :directedBy :kubrick .
:together a :Film ; rdfs:label "Together"@en ; :directedBy :kubrick .
:fall a :Film ; rdfs:label "The Fall"@en ; :directedBy :kubrick .
:rec a :Film ; rdfs:label "[REC]"@en ; :directedBy :kubrick .
:money a :Film ; rdfs:label "$"@en ; :directedBy :kubrick .
:love a :Film ; rdfs:label "Love"@en ; :directedBy :kubrick .
:love-tag rdfs:label "love"@en . :it :tag :love-tag . :m :tag :love-tag . :what :tag :love-tag .
:seventeen a :Film ; rdfs:label "1917"@en ; :directedBy :kubrick .
:mothers a :Film ; rdfs:label "Some Mother's Son"@en ; :directedBy :kubrick .
:kubrick a :Person ; rdfs:label "Stanley Kubrick"@en ; skos:altLabel "Kubrick"@en .
:us a :Place ; rdfs:label "United States"@en ; skos:altLabel "US"@en, "USA"@en .
:car a :Place ; rdfs:label "Central African Republic"@en ; skos:altLabel "CAR"@en .
:paris a :Place ; rdfs:label "Paris"@en ; schema:description "capital city of France"@en ;
    :locatedIn :france . :kubrick :livedIn :paris . :it :filmedIn :paris .
:m :filmedIn :paris ; :starring :kubrick .
:paris-texas a :Place ; rdfs:label "Paris"@en ; schema:description "city in Texas"@en ;
    :locatedIn :texas .
:paris-font a :Font ; rdfs:label "Paris"@en ; :madeIn :france .
:france a :Place ; rdfs:label "France"@en . :texas a :Place ; rdfs:label "Texas"@en .
:springfield-a a :Place ; rdfs:label "Springfield"@en ; :locatedIn :us .
:springfield-b a :Place ; rdfs:label "Springfield"@en ; :locatedIn :us .
:all a :Film ; rdfs:label "All of Me"@en ; :directedBy :wadleigh .
:lives a :Film ; rdfs:label "The Lives of Others"@en ; :directedBy :wadleigh .
:others a :Film ; rdfs:label "The Others"@en ; :directedBy :wadleigh .
:taxi a :Film ; rdfs:label "Taxi"@en ; :directedBy :wadleigh .
:taxi-mark a :Film ; rdfs:label "Taxi!"@en ; :directedBy :wadleigh .
:game a :Film ; rdfs:label "The Game"@en ; :directedBy :wadleigh .
:games a :Film ; rdfs:label "Games"@en ; :directedBy :wadleigh .
:words a :Film ; rdfs:label "The Words"@en ; :directedBy :wadleigh .
:schindler a :Film ; rdfs:label "Schindler's List"@en ; :directedBy :wadleigh .
:ballot a :Film ; rdfs:label "Secret Ballot"@en ; :directedBy :wadleigh .
:secret a :Film ; rdfs:label "The Secret"@en ; :directedBy :wadleigh .
:apollo-13 a :Film ; rdfs:label "Apollo 13"@en ; :directedBy :wadleigh .
:apollo-18 a :Film ; rdfs:label "Apollo 18"@en ; :directedBy :wadleigh .
:about-ford a :Film ; rdfs:label "Directed by John Ford"@en ; :directedBy :ford .
:michael a :Film ; rdfs:label "Michael"@en ; :directedBy :ford .
:rodeo a :Film ; rdfs:label "Ford Rodeo"@en ; :directedBy :ford .
:ford a :Person ; rdfs:label "John Ford"@en .
:wadleigh a :Person ; rdfs:label "Michael Wadleigh"@en .
:sweden a :Person ; rdfs:label "King of Sweden"@en ; :livedIn :france .
"""


def films(folder: Path) -> KnowledgeGraph:
    """The graph, built in a folder."""
    (folder / "films.ttl").write_text(GRAPH, encoding="utf-8")
    return open_kg(str(folder / "films.ttl"), cache=folder / "cache")
