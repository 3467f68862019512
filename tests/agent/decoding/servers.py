"""OpenAI-compatible servers on loopback: one that really decodes, and others that misbehave."""

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
import torch

Answer = Callable[[str, dict[str, Any]], tuple[int, bytes]]
"""From a path and a body to a status and a body."""


@contextmanager
def serving(answer: Answer) -> Generator[tuple[str, list[dict[str, Any]]], None, None]:
    """Serve on a free port; gives the address and the bodies received so far."""
    bodies: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # noqa: N802
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            bodies.append(body | {"authorization": self.headers.get("Authorization")})
            status, content = answer(self.path, body)
            if status == 0:
                return
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", bodies
    finally:
        server.shutdown()
        server.server_close()


def completion(*texts: str | None, reason: str = "stop") -> tuple[int, bytes]:
    """The reply of `/completions` with these texts."""
    choices = [{"index": i, "text": t, "finish_reason": reason} for i, t in enumerate(texts)]
    return 200, json.dumps({"object": "text_completion", "choices": choices}).encode()


FREE = "(?s:.*)"


def of_vllm(body: dict[str, Any]) -> str:
    """The expression where vLLM reads it, since 0.12."""
    return body.get("structured_outputs", {}).get("regex", FREE)


def of_sglang(body: dict[str, Any]) -> str:
    """The expression where SGLang reads it."""
    return body.get("regex", FREE)


def constrained_server(
    model: Any, tokenizer: Any, reads: Callable[[dict[str, Any]], str] | None = None
) -> Answer:
    """A server that samples from a model under the regular expression, enforced by llguidance.

    It `reads` the expression of a body, by default in either form.
    """
    engine: Any = pytest.importorskip("llguidance")
    hf: Any = pytest.importorskip("llguidance.hf")
    tokens: Any = hf.from_tokenizer(tokenizer)

    def sample(prompt: list[int], regex: str, seed: int, body: dict[str, Any]) -> tuple[str, str]:
        matcher = engine.LLMatcher(tokens, engine.LLMatcher.grammar_from_regex(regex))
        random = torch.Generator().manual_seed(seed)
        written: list[int] = []
        while len(written) < body["max_tokens"]:
            with torch.inference_mode():
                logits: Any = model(input_ids=torch.tensor([prompt + written])).logits[:, -1]
            bias = torch.tensor(list(matcher.compute_logit_bias()))
            logits = logits[0].masked_fill(bias == 0, -torch.inf)
            chances = (logits / max(body["temperature"], 1e-6)).softmax(0)
            token = int(torch.multinomial(chances, 1, generator=random))
            if token == tokenizer.eos_token_id:
                return tokenizer.decode(written), "stop"
            assert matcher.consume_token(token), matcher.get_error()
            written.append(token)
        return tokenizer.decode(written), "length"

    def answer(path: str, body: dict[str, Any]) -> tuple[int, bytes]:
        torch.set_num_threads(1)  # of this request's thread
        chat = path == "/v1/chat/completions"
        if not chat and path != "/v1/completions":
            return 404, b"no such address"
        prompt = body["messages"][0]["content"] if chat else body["prompt"]
        if reads is None:
            regex = of_sglang(body) if "regex" in body else of_vllm(body)
        else:
            regex = reads(body)
        ids = tokenizer(prompt)["input_ids"]
        choices: list[dict[str, Any]] = []
        for i in range(body["n"]):
            text, reason = sample(ids, regex, body["seed"] + i, body)
            said = {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
            choices.append({"index": i, "finish_reason": reason, **said})
        return 200, json.dumps({"choices": choices}).encode()

    return answer
