"""Writes garage.ttl, a graph of a car repair garage that does not exist.

Every run gives the same file to the byte. With --check nothing is written, and the exit status says
whether the file on disk is up to date.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from groundwalk.data.exams.writing import names, slug, text, turtle, write

OUT = Path(__file__).with_name("garage.ttl")
PREFIXES = {
    "q": "https://garage.example/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
RELATIONS = {
    "link": """
owns>owns|usuallyDrivenBy>usually driven by|concernsCar>concerns car|carriedOutBy>carried out by
checkedBy>checked by|wasUsedFor>was used for|fittedDuring>fitted during|lentTo>lent to|bills>bills
orderedFrom>ordered from|orderedBy>ordered by
""",
    "": "colour>colour|towBar>tow bar|emailAddress>e-mail address",
    "date": """
firstRegistration>first registration|customerSince>customer since|employedSince>employed since
dateIn>date in|dateOut>date out|inspectedOn>inspected on|dueOn>due on
""",
    "number": """
engineSize>engine size (cc)|mileage>mileage (km)|hourlyRate>hourly rate (€)|weight>weight (kg)
labourHours>labour (hours)|buyingPrice>buying price (€)|numberInStock>number in stock
dailyCharge>daily charge (€)|amount>amount (€)
""",
    "boolean": """
isElectric>is electric|underWarranty>under warranty|hasLift>has a lift|hasPassed>has passed
isFree>is free|isPaid>is paid
""",
}
"""The relations with their labels, by what they lead to: a thing or a kind of value."""
TABLES = {
    "Customer|customer|emailAddress|customerSince": """
Marta Ostrow|marta@ostrow.example|2012-05-04
Jonas Ostrow|jonas@ostrow.example|2017-09-11
Beatrix Hale|b.hale@post.example|2015-06-30
Ferdinand Okoye||2019-10-02
Lena Quist|lena.quist@post.example|2014-01-20
Pavel Drummond|drummond@letters.example|2009-03-16
Sunniva Marsh|smarsh@post.example|2006-04-03
Corin Ashby||2016-11-08
Ines Valdarno|office@valdarno.example|2018-09-19
Tobias Fenn|t.fenn@letters.example|2021-06-14
Greta Holloway|greta@holloway.example|2017-12-05
Ruben Castellan|ruben@castellan.example|2003-08-25
Yasmin Tarrow|y.tarrow@post.example|
Olive Penhallow||1998-07-07
""",
    "Mechanic|mechanic|employedSince|hourlyRate": """
Stig Amundsen|1997-02-03|62
Rosa Belmonte|2005-09-12|58
Kofi Danquah|2011-04-18|54
Wanda Pryce|2014-08-25|54
Emil Hask|2017-01-09|48.5
Nell Carrow|2020-10-05|44
Dario Funke|2023-09-01|29
Hamid Sorel||39.5
""",
    "Car|car|colour|firstRegistration|engineSize|mileage|isElectric|towBar|usuallyDrivenBy|"
    "^owns": """
Halden Finch|red|2012-03-14|1390|148200|false|no|Jonas Ostrow|Marta Ostrow
Halden Finch Estate|silver|2015-06-02|1598|121450|false|yes|Beatrix Hale|Beatrix Hale
Halden Kestrel|black|2019-09-27|1984|64300|false|yes|Ferdinand Okoye|Ferdinand Okoye
Halden Merlin|blue|2019-02-11|2497|58750|false|no||Lena Quist
Corva Pilot|white|2008-11-05|1242|203900|false|no|Pavel Drummond|Pavel Drummond
Corva Scout|green|2016-04-19|1598|99800|false|yes|Sunniva Marsh|Corin Ashby
Corva Courier|white|2018-08-08|1968|176020|false|yes|Tobias Fenn|Ines Valdarno
Tamsin Breeze|yellow|2021-05-31|998|23400|false|no|Greta Holloway|Tobias Fenn
Tamsin Squall|red|2017-10-12|1199|87650|false|no|Greta Holloway|Greta Holloway
Ottomar Grande|black|2003-07-21|4163|251000|false|no|Ruben Castellan|Ruben Castellan
Ottomar Klein|silver|2010-01-18|1364|132700|false|no||Yasmin Tarrow
Varga Lynx|blue|2019-06-06|1498|45120|false||Lena Quist|Pavel Drummond
Varga Lynx Sport|red|2022-04-04|1998|18900|false|no|Corin Ashby|Corin Ashby
Varga Puma|green|2014-12-01|2143||false|yes|Ines Valdarno|Ines Valdarno
Ellery Bee|yellow|1968-05-20|594|91300|false|no|Olive Penhallow|Olive Penhallow
Ellery Wasp|orange|1974-09-03|850|77040|false|no|Jonas Ostrow|Olive Penhallow
Juno Spark|white|2020-03-30||39900|true|no|Marta Ostrow|Marta Ostrow
Juno Volt|blue|2021-11-15||31250|true|no|Yasmin Tarrow|Yasmin Tarrow
Juno Arc|silver|2023-02-28||12080|true|yes|Beatrix Hale|Ferdinand Okoye
Pellworth Saloon|grey|2006-02-09|2998|188400|false|yes|Sunniva Marsh|Sunniva Marsh
Pellworth Van|white|2013-08-23|2298|214600|false|yes|Ruben Castellan|Ruben Castellan
Mistral Cabrio|red||1796|66200|false|no|Lena Quist|Lena Quist
Mistral Coupé|black|1999-06-17|2792|142900|false|no||
""",
    "RepairJob|repair job|concernsCar|carriedOutBy|checkedBy|dateIn|dateOut|labourHours|"
    "underWarranty": """
Finch clutch change|Halden Finch|Rosa Belmonte|Stig Amundsen|2024-03-04|2024-03-08|7.5|false
Finch brake repair|Halden Finch|Emil Hask|Rosa Belmonte|2024-09-16|2024-09-17|3|false
Estate belt change|Halden Finch Estate|Kofi Danquah|Stig Amundsen|2024-01-22|2024-01-24|5|false
Kestrel brake overhaul|Halden Kestrel|Wanda Pryce|Rosa Belmonte|2024-04-11|2024-04-12|4|true
Merlin oil service|Halden Merlin|Nell Carrow|Emil Hask|2023-11-06|2023-11-06|1.5|true
Pilot exhaust repair|Corva Pilot|Stig Amundsen|Kofi Danquah|2023-10-18|2023-10-20|3.5|false
Pilot water pump change|Corva Pilot|Dario Funke|Stig Amundsen|2024-06-24|2024-06-27|4.5|false
Scout mirror repair|Corva Scout|Dario Funke|Nell Carrow|2024-05-13|2024-05-13|1|false
Courier clutch change|Corva Courier|Rosa Belmonte|Stig Amundsen|2024-02-19|2024-02-23|8|false
Courier brake repair|Corva Courier|Kofi Danquah|Wanda Pryce|2024-10-07|||false
Squall fan belt change|Tamsin Squall|Emil Hask|Wanda Pryce|2024-03-28|2024-03-28|1|false
Grande engine overhaul|Ottomar Grande|Stig Amundsen|Rosa Belmonte|2023-12-04|2024-01-12|41|false
Klein fuel pump change|Ottomar Klein|Kofi Danquah|Emil Hask|2024-07-01|2024-07-03|3.5|false
Lynx mirror repair|Varga Lynx|Nell Carrow|Wanda Pryce|2024-08-19|2024-08-20|1.5|true
Sport oil service|Varga Lynx Sport|Nell Carrow|Kofi Danquah|2024-05-06|2024-05-06|1|true
Puma fuel pump change|Varga Puma|Wanda Pryce|Stig Amundsen|2023-11-20|2023-11-22|4|false
Bee carburettor repair|Ellery Bee|Stig Amundsen||2024-04-02|2024-04-19|12.5|false
Wasp rust repair|Ellery Wasp|Rosa Belmonte|Stig Amundsen|2024-09-23|||false
Spark battery change|Juno Spark|Emil Hask|Kofi Danquah|2024-02-05|2024-02-06|2|true
Volt brake repair|Juno Volt|Wanda Pryce|Emil Hask|2024-06-10|2024-06-11|2.5|true
Saloon cooling repair|Pellworth Saloon|Kofi Danquah|Rosa Belmonte|2024-08-05|2024-08-09|6.5|false
Van clutch change|Pellworth Van|Rosa Belmonte|Kofi Danquah|2023-10-02|2023-10-06|9|false
""",
    "Bay|bay|hasLift|wasUsedFor": """
North Bay|true|Finch clutch change,Kestrel brake overhaul,Courier clutch change,\
Puma fuel pump change,Van clutch change
South Bay|true|Finch brake repair,Estate belt change,Courier brake repair,Volt brake repair
Pit Bay|false|Pilot exhaust repair,Pilot water pump change,Klein fuel pump change,\
Saloon cooling repair
Glass Bay|false|Merlin oil service,Scout mirror repair,Squall fan belt change,Lynx mirror repair,\
Sport oil service
Long Bay|true|Grande engine overhaul,Bee carburettor repair,Wasp rust repair
""",
    "Supplier|supplier": "Brandt & Sohl\nOstermeer Parts\nNordfeld Supply\n"
    "Kettle Lane Motors\nPagoda Components\nIves Vintage Spares",
    "SparePart|spare part|buyingPrice|numberInStock|weight|orderedFrom|orderedBy|fittedDuring": """
front brake disc|46.5|6|7.2|Brandt & Sohl|Emil Hask|Finch brake repair,Kestrel brake overhaul
rear brake disc|39|4|5|Brandt & Sohl|Emil Hask|Kestrel brake overhaul
front brake pads|28|11|1.4|Ostermeer Parts|Wanda Pryce|Finch brake repair,Kestrel brake overhaul,\
Volt brake repair
rear brake pads|24.5|0|1.2|Ostermeer Parts|Wanda Pryce|Courier brake repair
oil filter|7.9|34|0.4|Nordfeld Supply|Nell Carrow|Merlin oil service,Sport oil service
air filter|12.5|19|0.3|Nordfeld Supply|Nell Carrow|Grande engine overhaul,Sport oil service
cabin filter|9.8|0|0.2|Nordfeld Supply|Kofi Danquah|
fuel pump|118|2|1.9|Kettle Lane Motors|Kofi Danquah|Klein fuel pump change,Puma fuel pump change
water pump|74|3|2.6|Kettle Lane Motors|Stig Amundsen|Pilot water pump change,Saloon cooling repair
timing belt|53|5|0.6|Ostermeer Parts|Kofi Danquah|Estate belt change
fan belt|18|8|0.3|Ostermeer Parts|Emil Hask|Squall fan belt change,Grande engine overhaul
clutch kit|236|1|8.3|Brandt & Sohl|Rosa Belmonte|Finch clutch change,Courier clutch change,\
Van clutch change
exhaust clamp|3.2|40||Pagoda Components|Stig Amundsen|Pilot exhaust repair
left wing mirror|64|0|1.1|Pagoda Components|Dario Funke|Scout mirror repair
right wing mirror|64|1|1.1|Pagoda Components|Hamid Sorel|Lynx mirror repair
starter battery|142|2|18.5|Kettle Lane Motors|Hamid Sorel|Spark battery change
""",
    "Inspection|inspection|concernsCar|carriedOutBy|inspectedOn|hasPassed": """
Inspection 71|Halden Finch|Stig Amundsen|2023-03-21|true
Inspection 72|Corva Pilot|Stig Amundsen|2023-10-17|false
Inspection 73|Corva Pilot|Kofi Danquah|2023-10-24|true
Inspection 74|Ottomar Grande|Rosa Belmonte|2023-11-30|false
Inspection 75|Varga Puma|Kofi Danquah|2023-12-13|true
Inspection 76|Halden Finch Estate|Wanda Pryce|2024-01-30|true
Inspection 77|Ottomar Grande|Rosa Belmonte|2024-01-19|true
Inspection 78|Ellery Bee|Stig Amundsen|2024-04-22|true
Inspection 79|Pellworth Saloon|Wanda Pryce|2024-07-29|false
Inspection 80|Juno Spark|Kofi Danquah|2024-03-12|
""",
    "HireCar|hire car|dailyCharge|isFree|lentTo": """
Pebble|24|true|
Biscuit|29.5|false|Ines Valdarno
Clover|35|true|
Marble|24|false|Olive Penhallow
Thimble|19.5|true|
""",
    "Invoice|invoice|bills|amount|dueOn|isPaid": """
Invoice 501|Van clutch change|742|2023-10-20|true
Invoice 502|Pilot exhaust repair|198.4|2023-11-03|true
Invoice 503|Puma fuel pump change|361|2023-12-06|true
Invoice 504|Grande engine overhaul|2890|2024-01-26|false
Invoice 505|Estate belt change|347.5|2024-02-07|true
Invoice 506|Courier clutch change|718|2024-03-08|true
Invoice 507|Finch clutch change|689|2024-03-22|false
Invoice 508|Kestrel brake overhaul|429|2024-04-26|true
Invoice 509|Bee carburettor repair|775|2024-05-03|true
Invoice 510|Pilot water pump change|284|2024-07-11|false
Invoice 511|Klein fuel pump change|318|2024-07-17|true
Invoice 512|Saloon cooling repair||2024-08-23|false
""",
}
"""Each class with its label and relations, then a row a thing. ^ turns a relation around."""


def term(kind: str, value: str) -> str:
    """Gives a value as Turtle spells it."""
    if kind == "link":
        return f"q:{slug(value)}"
    return value if kind == "number" else text(value, kind)


def content() -> bytes:
    """Gives the graph as Turtle, the same on every call."""
    graph = defaultdict[str, list[tuple[str, str]]](list)

    def head(subject: str, kind: str, label: str) -> None:
        graph[subject] += [("a", kind), ("rdfs:label", text(label))]

    kinds = dict[str, str]()
    for kind, table in RELATIONS.items():
        above = "owl:ObjectProperty" if kind == "link" else "owl:DatatypeProperty"
        for name, label in (pair.split(">") for pair in names(table)):
            head(f"q:{name}", above, label)
            kinds[name] = kind
    for top, table in TABLES.items():
        kind, label, *relations = top.split("|")
        head(f"q:{kind}", "owl:Class", label)
        for row in table.strip().split("\n"):
            name, *cells = row.split("|")
            thing = f"q:{slug(name)}"
            head(thing, f"q:{kind}", name)
            for relation, cell in zip(relations, cells, strict=True):
                for value in filter(None, cell.split(",")):
                    if relation.startswith("^"):
                        graph[f"q:{slug(value)}"].append((f"q:{relation[1:]}", thing))
                    else:
                        graph[thing].append((f"q:{relation}", term(kinds[relation], value)))
    return turtle(PREFIXES, graph)


if __name__ == "__main__":
    write(OUT, content)
