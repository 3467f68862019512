"""A service over HTTP, with FastAPI and uvicorn: `python examples/service.py [PORT]`."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Annotated, Any
from weakref import WeakValueDictionary

import groundwalk as gw
import uvicorn
from fastapi import Body, FastAPI
from fastapi.responses import JSONResponse, Response, StreamingResponse
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

SECONDS, MOST_WAITING = 15.0, 50
SHOWN = ("question", "status", "answers", "result", "reading", "confidence", "notes", "readings")
LINE = ("answering", "waiting", "seconds")  # `seconds` is how long one who comes now waits
STATUS = {  # the first that fits: time-out, the operator's to mend, the caller's, what may pass
    **{TimeoutError: 504, gw.KGError: 500, gw.ModelError: 500, gw.DatasetError: 500},
    **{gw.InputError: 422, gw.ConstraintError: 422, gw.GroundwalkError: 503},
}
SERVICE: dict[str, Any] = {}  # what is opened at the start
TALKS = WeakValueDictionary[str, asyncio.Lock]()  # one question of a thread at a time
Text = Annotated[str, Body()]


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
    """Nobody is let in before the graph is warm; it is closed after the last answer."""
    kg = await asyncio.to_thread(gw.open_kg, os.environ.get("GROUNDWALK_KG", "world"))
    graph = gw.build_graph(kg=kg, checkpointer=InMemorySaver(), most_waiting=MOST_WAITING)
    await asyncio.to_thread(graph.warm)
    SERVICE.update(graph=graph.with_state(), about=await asyncio.to_thread(gw.describe_graph, kg))
    yield
    while graph.line.answering:  # a question that was cancelled ends after its step
        await asyncio.sleep(0.05)
    kg.close()


def failed(_: object, error: Exception) -> Response:
    """An error as a reply; what the operator has to mend is told in the log only."""
    status = next(own for kind, own in STATUS.items() if isinstance(error, kind))
    line = getattr(error, "with_hint", f"no answer within {SECONDS:g} seconds")
    if status == 500:
        print(f"{type(error).__name__}: {line}", file=sys.stderr)
        line = "the service is not set up as it should be"
    after = str(1 + int(getattr(error, "seconds", 14)))
    return JSONResponse({"error": line}, status, {"Retry-After": after} if status == 503 else None)


HANDLERS: Any = dict.fromkeys(STATUS, failed)
app = FastAPI(lifespan=lifespan, exception_handlers=HANDLERS)
app.get("/about")(lambda: SERVICE["about"])
app.get("/health")(lambda: {name: getattr(SERVICE["graph"].line, name) for name in LINE})


async def answer(given: Any, thread: str, put: Callable[[Any], object] = lambda _: None) -> Any:
    """The result of a run, which waits in the line and works in a thread that `put`s its events."""
    graph, config = SERVICE["graph"], {"configurable": {"thread_id": thread}}

    def run() -> Any:
        chunks = list[Any]()
        for mode, chunk in graph.stream(given, config, stream_mode=["custom", "values"]):
            (put if mode == "custom" else chunks.append)(chunk)
        return chunks[-1]

    async with asyncio.timeout(SECONDS), TALKS.setdefault(thread, asyncio.Lock()):
        state = await graph.line.in_thread(run)
    asks = [interrupt.value for interrupt in state.get("__interrupt__", ())]
    text = asks[0]["ask"] if asks else state["messages"][-1].text
    return {**{key: state.get(key) for key in SHOWN}, "thread": thread, "text": text, "asks": asks}


@app.post("/ask")
async def ask(question: Text, thread: Text = "") -> dict[str, Any]:
    """Answer a question; one with a thread may refer to the questions before it."""
    return await answer({"question": question}, thread or os.urandom(8).hex())


@app.get("/ask/stream")
async def stream(question: str, thread: str = "") -> Response:
    """The same as server-sent events: an Event for each step, then `result` or `error`."""
    events = asyncio.Queue[Any]()
    put = partial(asyncio.get_running_loop().call_soon_threadsafe, events.put_nowait)
    run = asyncio.create_task(answer({"question": question}, thread or os.urandom(8).hex(), put))
    run.add_done_callback(lambda _: put(None))
    first = await events.get() or await run  # where no event came, an error did: it is a status

    async def lines(event: Any) -> AsyncIterator[str]:
        try:
            while event:
                yield f"event: {event['event']}\ndata: {json.dumps(event)}\n\n"
                event = await events.get()
            yield f"event: result\ndata: {json.dumps(await run)}\n\n"
        except (gw.GroundwalkError, TimeoutError) as error:
            yield f"event: error\ndata: {bytes(failed(None, error).body).decode()}\n\n"
        finally:
            run.cancel()  # whoever asked may be gone

    return StreamingResponse(lines(first), media_type="text/event-stream")


@app.post("/choose")
async def choose(thread: Text, option: Text = "", reading: Annotated[int, Body(ge=1)] = 1) -> Any:
    """Say which `option` of an ambiguous question is meant, or else which of the readings."""
    if option:
        return await answer(Command(resume=option), thread)
    state = await SERVICE["graph"].aget_state({"configurable": {"thread_id": thread}})
    for chosen in state.values.get("readings", [])[reading - 1 : reading]:
        return await answer({"query": chosen["query"]}, thread)
    raise gw.QuestionError(f"there is no reading {reading} in this thread", "ask first")


if __name__ == "__main__":
    uvicorn.run(app, port=int([*sys.argv, "8000"][1]), timeout_graceful_shutdown=20)
