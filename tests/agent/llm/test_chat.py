"""What is shown and kept of a chat model's specification."""

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.agent.llm.chat import chat_model, describe_llm
from hypothesis import given
from hypothesis import strategies as st

SECRET = st.text("sS@/?:#%&", min_size=1, max_size=12)


@pytest.mark.parametrize(
    "spec",
    ["none", "", "openai:gpt-4o-mini", "hf:a/folder", "http://host:8000/v1#org/model@2"],
)
def test_what_holds_no_secret_stays(spec: str) -> None:
    assert describe_llm(spec) == spec


@given(SECRET, SECRET, st.sampled_from(["host", "host:81", "[::1]"]))
def test_no_part_of_a_secret_is_shown(user: str, password: str, host: str) -> None:
    found = describe_llm(f"https://{user}:{password}@{host}/v1#m")
    assert found == f"https://{host}/v1#m"


def test_a_key_in_the_query_is_left_out() -> None:
    assert describe_llm("http://host/v1?key=SECRET#m") == "http://host/v1#m"
    assert describe_llm("http://u:p@host/v1?key=SECRET") == "http://host/v1"


@pytest.mark.parametrize("spec", ["http://u:s3c/ret@host/v1#m", "http://u:s3cret@host/v1"])
def test_what_is_wrong_is_said_without_it(spec: str) -> None:
    with pytest.raises(InputError) as caught:
        chat_model(spec)
    assert "s3c" not in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize(
    "spec",
    [
        "http://#m",
        "http:///v1#m",
        "http://u:p@/v1#m",
        "http://127.0.0.1:99999/v1#m",
        "http://127.0.0.1:0/v1#m",
        "http://127.0.0.1:x/v1#m",
        "http://[::1#m",
    ],
)
def test_where_nothing_can_be_sent_is_no_address(spec: str) -> None:
    with pytest.raises(InputError, match="^--llm http://"):
        chat_model(spec)
