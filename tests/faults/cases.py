"""Every fault that is tried: in which part, what happens, and what the user is promised."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from . import disk, local, wrongs
from .disk import CLOSED, FULL, Disk
from .servers import Begins, Fault, at_once, at_the_second, at_verification, on_the_way, refused
from .services import endpoint_fails, endpoint_is_down, llm_fails, llm_is_down
from .trials import QUESTION, Bench, Outcome, Trial

Part = Literal["SPARQL endpoint", "LLM server", "model folder", "memory", "disk"]


class Case(NamedTuple):
    """A fault, and what is promised: a status, and words in what the user sees."""

    part: Part
    fault: str
    trial: Trial
    status: str
    says: str = ""
    heavy: bool = False
    """Whether it takes a process of its own."""

    @property
    def name(self) -> str:
        return f"{self.part}: {self.fault}"

    def tried(self, bench: Bench) -> Outcome:
        """What came of it, held against what is promised."""
        out = self.trial(bench)
        out.expect(out.status == self.status, f"status {out.status}, not {self.status}")
        out.expect(self.says in out.line, f"nothing of {self.says!r}")
        return out


class Wrong(NamedTuple):
    """A way for a service to fail, and what is said of an endpoint and of an LLM that does."""

    fault: Fault
    endpoint: str
    llm: str


TOO_SLOW = f"within {wrongs.TIMEOUT:g} s"
HOUR = "and asks to wait 3,600 s"
BROKE_OFF = "it broke off, or speaks no HTTP"
BROKE, NO_RESULT = "did not answer: the connection broke", "broken or no SPARQL result"
NO_REPLY, MORE = "what came is no chat reply", "sent more than 8,388,608 bytes for one reply"
WRONGS = {
    "refused": Wrong(refused, "no connection", "no connection"),
    "slow": Wrong(wrongs.slow, TOO_SLOW, f"no reply {TOO_SLOW}"),
    "drips for ever": Wrong(wrongs.drips, TOO_SLOW, f"no reply {TOO_SLOW}"),
    "endless": Wrong(wrongs.endless, "more than 16,777,216 bytes", MORE),
    "reset": Wrong(wrongs.resets, BROKE, BROKE_OFF),
    "reset in the middle": Wrong(wrongs.resets_in_the_middle, BROKE, BROKE_OFF),
    "breaks off": Wrong(wrongs.breaks_off, BROKE_OFF, BROKE_OFF),
    "429, Retry-After no date": Wrong(
        wrongs.status(429, Retry_After="Mon, 01 Jan 99999999999 00:00:00 GMT"),
        "429 Too Many Requests",
        "429 Too Many Requests",
    ),
    "429, Retry-After an hour": Wrong(
        wrongs.status(429, Retry_After="3600"), HOUR, "asks to wait 3,600 s"
    ),
    "500": Wrong(wrongs.status(500), "(500 Internal Server Error)", "500 Internal Server Error"),
    "502": Wrong(wrongs.status(502), "(502 Bad Gateway)", "502 Bad Gateway"),
    "503": Wrong(wrongs.status(503), "(503 Service Unavailable)", "503 Service Unavailable"),
    "401": Wrong(wrongs.status(401), "(401 Unauthorized)", "401 Unauthorized"),
    "404": Wrong(wrongs.status(404), "(404 Not Found)", "404 Not Found"),
    "noise": Wrong(wrongs.noise, NO_RESULT, NO_REPLY),
    "no HTTP": Wrong(wrongs.no_http, BROKE_OFF, BROKE_OFF),
    "truncated": Wrong(wrongs.truncated, NO_RESULT, NO_REPLY),
    "empty": Wrong(wrongs.replies(b""), NO_RESULT, NO_REPLY),
    "another object": Wrong(wrongs.replies(b"{}"), NO_RESULT, NO_REPLY),
    "a login page": Wrong(wrongs.replies(wrongs.LOGIN, "text/html"), "in JSON", NO_REPLY),
}
BRIEF = wrongs.status(429, Retry_After="0")
TOO_LONG = wrongs.replies_with(
    400, b'{"error": {"message": "maximum context length is 64 tokens", "type": "invalid"}}'
)
WHEN: dict[str, Begins] = {
    "": at_once,
    ", on the way": on_the_way,
    ", at verification": at_verification,
}
ON_THE_WAY = ("refused", "slow", "reset in the middle", "503", "truncated")

FOLDERS: dict[str, tuple[local.Damage, str]] = {
    "no config": (local.without("config.json"), "lacks config.json"),
    "no weights": (local.without(local.WEIGHTS), "lacks weights"),
    "no tokenizer": (local.without("tokenizer.json"), "does not load"),
    "weights cut short": (local.cut(local.WEIGHTS), "does not load"),
    "empty weights": (local.cut(local.WEIGHTS, 0), "does not load"),
    "other shapes": (local.changed("config.json", vocab_size=64), "does not load"),
    "config of BERT": (local.changed("config.json", model_type="bert"), "the weights lack"),
    "config of T5": (local.changed("config.json", model_type="t5"), "does not load"),
    "config cut short": (local.cut("config.json"), "does not load"),
    "config is a list": (local.holding("config.json", "[]"), "does not load"),
    "tokenizer cut short": (local.cut("tokenizer.json"), "does not load"),
    "tokenizer of another model": (local.larger_tokenizer, "tokens that the model does not know"),
    "broken chat template": (local.holding("chat_template.jinja", "{% if %}"), "chat template"),
    "a layer missing": (local.without_a_layer, "the weights lack"),
    "weights are no numbers": (local.not_numbers, "are no numbers"),
    "unreadable weights": (local.unreadable, "does not load"),
    "settings cut short": (local.cut("groundwalk.json"), "cannot be read"),
    "scope of no use": (local.holding("scope.json", "{}"), "cannot be read"),
}
SHORTAGES: dict[str, local.Shortage] = {
    "Python's": local.OF_PYTHON,
    "PyTorch's": local.of_cpu,
    "a GPU's": local.of_cuda,
}
EVAL = ("eval", "run", "--dataset", "world", "--method", "words", "--out", "@/run")
KG = ("kg", "build", "my.ttl", "--out", "@/kg")


def cases() -> Iterator[Case]:
    """All of them."""
    yield from _endpoint()
    yield from _llm()
    for fault, (damage, says) in FOLDERS.items():
        yield Case("model folder", fault, local.folder_fails(damage), "error: model", says)
    for how in ("cut short", "written over"):
        trial = local.changes_while_loaded(how)
        yield Case("model folder", f"{how} while loaded", trial, "answered", heavy=True)
    more = "needs more memory than there is"
    for whose, shortage in SHORTAGES.items():
        trial = local.memory_fails(shortage, 1)
        yield Case("memory", f"{whose}, on the prompt", trial, "error: memory", more)
    for method in ("gcr", "dog", "plan"):
        trial = local.memory_fails(local.of_cpu, 2, method)
        yield Case("memory", f"half-way, {method}", trial, "error: memory", more)
    says = "out of memory: the LLM did not answer; the vote did"
    yield Case("memory", "of a local chat LLM", local.llm_memory_fails, "answered", says)
    yield from _disk()


def _endpoint() -> Iterator[Case]:
    for when, begins in WHEN.items():
        for fault, own in WRONGS.items():
            if begins is not on_the_way or fault in ON_THE_WAY:
                status = "unchecked" if begins is at_verification else "error: service"
                trial = endpoint_fails(own.fault, begins)
                yield Case("SPARQL endpoint", f"{fault}{when}", trial, status, own.endpoint)
    for when, begins in WHEN.items():
        trial = endpoint_fails(BRIEF, begins, lasts=1)
        yield Case("SPARQL endpoint", f"429 once{when}", trial, "answered")
    for fault in ("refused", "503"):
        down = endpoint_is_down(WRONGS[fault].fault)
        yield Case("SPARQL endpoint", f"{fault}, question after question", down, "error: service")


def _llm() -> Iterator[Case]:
    voted = "the LLM did not answer; the vote did"
    for fault, own in WRONGS.items():
        says = f"{own.llm}: {voted}"
        yield Case("LLM server", fault, llm_fails(own.fault), "answered", says)
    streamed = f"{MORE}: {voted}"
    yield Case("LLM server", "endless events", llm_fails(wrongs.streams), "answered", streamed)
    said = f"maximum context length is 64 tokens: {voted}"
    yield Case("LLM server", "the prompt is too long", llm_fails(TOO_LONG), "answered", said)
    yield Case("LLM server", "429 once", llm_fails(BRIEF, lasts=1), "answered")
    for fault in ("refused", "503", "noise"):
        half_way = llm_fails(WRONGS[fault].fault, at_the_second, method="tog")
        says = "the LLM did not answer"
        yield Case("LLM server", f"{fault}, half-way of tog", half_way, "abstained", says)
    for fault in ("reset", "503"):
        down = llm_is_down(WRONGS[fault].fault)
        yield Case("LLM server", f"{fault}, question after question", down, "answered", voted)


def _disk() -> Iterator[Case]:
    thread = disk.thread_on_a_full_disk
    yield Case("disk", "full, a kept thread", thread, "answered", "could not be kept")
    small, threads = Disk("8k"), "@/threads.sqlite"
    for fault, trial, status in (
        ("full, kg build", disk.fails_in(FULL, 2, *KG, says="disk is full"), "exit 2"),
        ("read-only, kg build", disk.fails_in(CLOSED, 2, *KG, says="Read-only"), "exit 2"),
        (
            "full, cache",
            disk.answers_on(FULL, "ask", QUESTION, GROUNDWALK_CACHE="@/cache"),
            "answered",
        ),
        (
            "read-only, threads",
            disk.fails_in(
                CLOSED, 2, "ask", QUESTION, "--thread", "x", says="", GROUNDWALK_THREADS=threads
            ),
            "exit 2",
        ),
        (
            "full, /export",
            disk.chat_on(small, "/export @/x.html", says="cannot be written: the disk is full"),
            "exit 0",
        ),
        (
            "full, eval run",
            disk.fails_in(small, 3, *EVAL, "--limit", "9", says="make room"),
            "exit 3",
        ),
        ("read-only, eval run", disk.fails_in(CLOSED, 2, *EVAL, says="another folder"), "exit 2"),
    ):
        yield Case("disk", fault, trial, status, heavy=True)
    page = ("ask", QUESTION, "--explain", "html")
    for how, unbuffered in (("", ""), (", unbuffered", "1")):
        trial = disk.fails_in(
            small, 3, *page, shell="> @/x", says="is full", PYTHONUNBUFFERED=unbuffered
        )
        yield Case("disk", f"full, ask --explain{how}", trial, "exit 3", heavy=True)
