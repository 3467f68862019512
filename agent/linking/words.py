"""English words that by themselves name no entity, and their singular forms."""

from collections.abc import Iterable, Mapping

FUNCTION_WORDS: frozenset[str] = frozenset(
    """
    a about above across after again all along also am among an and any are around as at away back
    be because been before being belong belongs below beside besides between both but by can cannot
    could did do does doing down during each either else ever every few for from get give go goes
    had has have having he her here hers him his how i if in inside into is it its itself just know
    let lie lies like list many may me might mine more most much must my near need next no nor not
    now of off on once one ones only or other others our out outside over own part per place please
    put quite rather same say see shall she should show since so some such take tell than that the
    their them then there these they thing things this those through to too toward towards under
    until up upon us use used uses using very via was we were what when where whether which while
    who whom whose why will with within without won would yes yet you your s t re ve ll d m
    """.split()
)
"""Function words and the verbs that questions are made of."""

LANGUAGE_WORDS: frozenset[str] = frozenset(
    "language speak speaker speaking spoken talk talking tongue".split()
)
"""Words that tell that an adjective beside them is meant as the name of a language."""

OTHER_FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    tag: frozenset(words.split())
    for tag, words in {
        "de": """
            aber alle als am an auf aus bei beim bis da das dass dem den der des die dies diese
            dieser doch dort du durch ein eine einem einen einer eines er es fur gab gehort gibt
            haben hat hatte heisst ich ihm ihr ihre im in ins ist ja kann kein keine liegen
            liegt man mit nach nicht noch nur ob oder ohne sein seine seit sich sie sind so uber
            um und unter vom von vor wann war waren warum was welche welchem welchen welcher
            welches wem wen wenn wer werden wessen wie wieviele wird wo wohin wurde wurden zu
            zum zur zwischen
            """,
        "es": """
            a al ante como con cual cuales cuando cuanta cuantas cuanto cuantos de del desde
            donde dos e el ella ellos en entre era eran es esta estan este fue fueron ha han
            hasta hay la las lo los mas no o para pero por porque que quien quienes se ser si
            sin sobre son su sus tiene tienen un una unas uno unos y
            """,
        "fr": """
            a au aux avec ce ces cette combien comment d dans de depuis des deux du elle elles
            en entre est et etaient etait il ils l la laquelle le lequel les lesquelles lesquels
            leur leurs mais n ne ont ou par parle pas plus pour pourquoi qu quand que quel
            quelle quelles quels qui quoi s sa se ses son sont sous sur trouve un une vers y
            """,
        "it": """
            a ai al alla alle anche c che chi ci come con cosa da dai dal dalla dei del della
            delle dello di dove e ed era erano fra gli ha hanno i il in l la le lo ma nei nel
            nella non o per perche piu quale quali quando quante quanti quanto si sono su sua
            sue sul sulla suo suoi tra un una uno
            """,
        "nl": """
            aan als bij dat de deze die dit door een en er haar heeft heet het hoe hoeveel hun
            ik in is kan liggen ligt maar met na naar niet of om onder ook op over te tot uit
            van voor waar waarom waren was wat welk welke werd wie worden wordt zich zijn
            """,
        "pt": """
            a ao aos as com como da das de do dos e ela ele em entre era eram essa esse esta
            este fica foi foram ha mais mas na nas no nos o onde os ou para pela pelo por porque
            quais qual quando quantas quantos que quem sao se sem seu seus sobre sua suas tem um
            uma
            """,
    }.items()
}
"""Small words of questions in other languages, normalised, by the tag of the language."""

PREPOSITIONS: frozenset[str] = frozenset(
    """
    about across along around at between by for from in into near of on outside through to with
    """.split()
)
"""Words after which a name follows, however it is typed."""

COMMON_WORDS: frozenset[str] = frozenset(
    """
    act acted acting actor actors actress actresses award awards between book books car city country
    date day direct directed directing director directors film films find first genre genres good
    home kind language languages last live lives lived main make makes male man mean month movie
    movies name named names nice number people person question real release released song star
    starred stars states thank thanks time title topic type types work works world write writer
    writers writing written wrote year years
    """.split()
)
"""Nouns and verbs of everyday questions: in lower case they are more likely words than names."""


_IRREGULAR = {"children": "child", "men": "man", "people": "person", "women": "woman"}


def singular(word: str) -> str:
    """The singular of an English plural; the word itself where it is none."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")) or (word[-3:] == "oes" and word[5:]):
        return word[:-2]
    return word[:-1]


def is_everyday(words: Iterable[str], everyday: frozenset[str]) -> bool:
    """Whether all words, or their singulars, are everyday words; `don't` is one too."""
    return all(
        word in everyday or singular(word) in everyday or word.endswith("n t") for word in words
    )
