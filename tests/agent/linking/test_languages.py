"""Questions in other languages and scripts are linked by the names of that language."""

from collections.abc import Callable
from pathlib import Path

import pytest
from groundwalk.agent.kg import open_kg
from groundwalk.agent.linking import LabelLinker

E = "http://example.org/"
GRAPH = f"""
@prefix : <{E}> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:currency rdfs:label "currency"@en, "Währung"@de, "货币"@zh, "通貨"@ja, "monnaie"@fr .
:capital rdfs:label "capital"@en, "Hauptstadt"@de, "首都"@zh, "首都"@ja, "수도"@ko,
    "เมืองหลวง"@th, "राजधानी"@hi, "عاصمة"@ar, "בירה"@he, "başkent"@tr .
:at rdfs:label "Austria"@en, "Österreich"@de, "奥地利"@zh, "オーストリア"@ja, "오스트리아"@ko,
    "ออสเตรีย"@th, "ऑस्ट्रिया"@hi, "النمسا"@ar, "אוסטריה"@he, "Avusturya"@tr, "Autriche"@fr ;
    :currency :eur ; :capital :vie .
:eur rdfs:label "euro"@en, "Euro"@de, "欧元"@zh .
:vie rdfs:label "Vienna"@en, "Wien"@de, "维也纳"@zh, "ウィーン"@ja .
:ist rdfs:label "Istanbul"@en, "İstanbul"@tr, "伊斯坦布尔"@zh ; :in :tr .
:tr rdfs:label "Turkey"@en, "Türkiye"@tr, "土耳其"@zh .
:diy rdfs:label "Diyarbakır"@tr ; :in :tr .
:giessen rdfs:label "Gießen"@de ; :in :de . :de rdfs:label "Deutschland"@de .
:lodz rdfs:label "Łódź"@pl ; :in :pl . :pl rdfs:label "Polska"@pl .
:kyiv rdfs:label "Київ"@uk, "Киев"@ru ; :in :ua . :ua rdfs:label "Україна"@uk .
:teh rdfs:label "تهران"@fa ; :in :ir . :ir rdfs:label "ایران"@fa .
:bang rdfs:label "กรุงเทพมหานคร"@th ; :in :th .
:th rdfs:label "ประเทศไทย"@th ; skos:altLabel "ไทย"@th .
:us rdfs:label "アメリカ合衆国"@ja, "美国"@zh ; skos:altLabel "アメリカ"@ja ; :in :america .
:america rdfs:label "美洲"@zh . :kubrick rdfs:label "Stanley Kubrick" ; :in :us .
:hat rdfs:label "Hat"@de ; :in :de .
"""


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], list[tuple[str, str]]]:
    folder: Path = tmp_path_factory.mktemp("languages")
    (folder / "kg.ttl").write_text(GRAPH, encoding="utf-8")

    def link(language: str, question: str) -> list[tuple[str, str]]:
        languages = language.split(",") if language else ()
        kg = open_kg(str(folder / "kg.ttl"), cache=folder / "cache", languages=languages)
        linker = LabelLinker(kg.labels, languages=kg.profile.languages)
        found = linker.link(question)
        kg.close()
        return [(m.text, m.candidates[0].term[1:-1].removeprefix(E)) for m in found]

    return link


@pytest.mark.parametrize(
    ("language", "question", "expected"),
    [
        ("de", "Welche Währung hat Österreich?", [("Österreich", "at")]),
        ("de", "welche währung hat österreich", [("österreich", "at")]),
        ("de", "Die Hauptstadt von Östereich?", [("Östereich", "at")]),
        ("de", "Wo liegt GIESSEN?", [("GIESSEN", "giessen")]),
        ("de", "wo liegt giessen", [("giessen", "giessen")]),
        ("de", "In welchem Land lebt Kubrick?", [("Kubrick", "kubrick")]),
        ("fr", "Quelle est la monnaie de l'Autriche ?", [("Autriche", "at")]),
        ("zh", "奥地利的首都是什么？", [("奥地利", "at")]),
        ("zh", "土耳其和奥地利使用什么货币？", [("土耳其", "tr"), ("奥地利", "at")]),
        ("zh", "美洲的国家", [("美洲", "america")]),
        ("ja", "オーストリアの首都はどこですか。", [("オーストリア", "at")]),
        ("ja", "アメリカ合衆国の首都", [("アメリカ合衆国", "us")]),
        ("ja", "アメリカの首都", [("アメリカ", "us")]),
        ("ko", "오스트리아의 수도는 어디입니까?", [("오스트리아", "at")]),
        ("th", "เมืองหลวงของออสเตรียคืออะไร", [("ออสเตรีย", "at")]),
        ("th", "กรุงเทพมหานครอยู่ในประเทศไทย", [("กรุงเทพมหานคร", "bang"), ("ประเทศไทย", "th")]),
        ("hi", "ऑस्ट्रिया की राजधानी क्या है?", [("ऑस्ट्रिया", "at")]),
        ("ar", "ما هي عاصمة النمسا؟", [("النمسا", "at")]),
        ("ar", "ما هي عاصمة النِّمسا؟", [("النِّمسا", "at")]),
        ("he", "מהי בירת אוסטריה?", [("אוסטריה", "at")]),
        ("he", "מהי בירת אוֹסְטְרִיָה?", [("אוֹסְטְרִיָה", "at")]),
        ("tr", "Avusturya'nın başkenti neresidir?", [("Avusturya", "at")]),
        ("tr", "İSTANBUL nerede", [("İSTANBUL", "ist")]),
        ("tr", "istanbul nerede", [("istanbul", "ist")]),
        ("tr", "DİYARBAKIR ve diyarbakir", [("DİYARBAKIR", "diy")]),
        ("pl", "gdzie jest Lodz", [("Lodz", "lodz")]),
        ("uk", "Де знаходиться Київ?", [("Київ", "kyiv")]),
        ("fa", "ای\u200cران", [("ای\u200cران", "ir")]),
        ("", "What currency does Austria have?", [("Austria", "at")]),
        ("", "Wo liegt Österreich?", []),
        ("de,en", "the capital of Austria", [("Austria", "at")]),
    ],
)
def test_a_name_of_the_wanted_language_is_linked(
    linked: Callable[[str, str], list[tuple[str, str]]],
    language: str,
    question: str,
    expected: list[tuple[str, str]],
) -> None:
    assert linked(language, question) == expected
