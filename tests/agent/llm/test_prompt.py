"""The prompt that trained weights depend on."""

from groundwalk.agent.llm.prompt import Mention, mask, path_prompt
from hypothesis import given
from hypothesis import strategies as st


def test_wire_shape_for_published_checkpoints() -> None:
    mentions = [Mention(3, 8, "Paris"), Mention(13, 17, "Rome")]
    prompt = path_prompt("is Paris near Rome", mentions, masked=False, instruct=False)
    assert prompt == "# Question: \nis Paris near Rome?\n# Topic entities: \nParis,Rome"


def test_masked_question_is_lower_case_without_its_mark() -> None:
    prompt = path_prompt(
        "What is the capital of France ?",
        [Mention(23, 29, "France", "country")],
        masked=True,
        instruct=False,
    )
    assert prompt == "# Question: \nwhat is the capital of [country]\n# Topic entities: \n[country]"


def test_users_brackets_go_with_the_name() -> None:
    question = "who directed [Jaws] then"
    assert mask(question, [Mention(14, 18, "Jaws")])[0] == "who directed [entity] then"
    assert mask(question, [Mention(13, 19, "Jaws")])[0] == "who directed [entity] then"


@given(st.text(), st.text(), st.text())
def test_nothing_but_the_mention_is_replaced(before: str, name: str, after: str) -> None:
    mention = Mention(len(before), len(before) + len(name), name, "city")
    text, topics = mask(before + name + after, [mention])
    if not (before.endswith("[") and after.startswith("]")):
        assert text == before + "[city]" + after
    assert topics == ["[city]"]
