"""The prompt that trained weights depend on."""

from groundwalk.agent.llm.prompt import Mention, mask, path_prompt
from hypothesis import given
from hypothesis import strategies as st


def test_wire_shape_for_published_checkpoints() -> None:
    mentions = [Mention(3, 8, "Paris"), Mention(13, 17, "Rome")]
    prompt = path_prompt("is Paris near Rome", mentions, masked=False, instruct=False)
    assert prompt == "# Question: \nis Paris near Rome?\n# Topic entities: \nParis,Rome"


def test_examples_show_an_instruct_model_what_a_path_is() -> None:
    def prompt(examples: int, *, instruct: bool = True) -> str:
        return path_prompt("Why?", [], masked=False, instruct=instruct, examples=examples)

    plain, two = prompt(0), prompt(2)
    instruction, _, asked = plain.partition("\n\n")
    assert two.startswith(instruction) and two.endswith(asked)
    examples = two.removeprefix(instruction).removesuffix(asked).strip().split("\n\n")
    lines = [example.split("\n") for example in examples]
    assert [line[::2] for line in lines] == [
        ["# Question: ", "# Topic entities: ", "# Reasoning Path: ", "# Answer: "]
    ] * 2
    for question, topic, path, answer in (line[1::2] for line in lines):
        assert topic in question
        assert path.startswith(f"<PATH>{topic} -> ") and path.endswith(f" -> {answer}</PATH>")
    assert prompt(2, instruct=False) == prompt(0, instruct=False)


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
