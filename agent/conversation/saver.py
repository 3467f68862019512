"""The checkpointer of threads, which keeps all turns of a thread, and few checkpoints.

LangGraph's own keeps the whole state of every step of every run for good. Here a checkpoint goes
when the next one is there, but for one in `MOST_TURNS` turns: a checkpoint holds that many turns,
so that together they still hold all of them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from langchain_core.messages import AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.sqlite import SqliteSaver

from ..errors import InputError
from ..records import Turn
from ..state import MOST_TURNS
from .messages import answered_last

_FORGET = """
DELETE FROM checkpoints WHERE thread_id = :thread AND checkpoint_ns = :space
AND checkpoint_id = :before
AND (json_extract(CAST(metadata AS TEXT), '$.turn') IN (0, :turn)
     OR json_extract(CAST(metadata AS TEXT), '$.turn') % :kept > 0)
"""
_FORGET_WRITES = """
DELETE FROM writes WHERE thread_id = :thread AND checkpoint_ns = :space AND checkpoint_id < :now
"""


class ThreadSaver(SqliteSaver):
    """Keeps threads; the number of the last turn is in the metadata of a checkpoint as `turn`."""

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint, and forget the one that it follows, if later ones hold its turns."""
        turn = _last_turn_number(checkpoint["channel_values"])
        with_turn = cast("CheckpointMetadata", {**metadata, "turn": turn})
        saved = super().put(config, checkpoint, with_turn, new_versions)
        configurable = config.get("configurable", {})
        if (before := configurable.get("checkpoint_id")) is not None:
            names = {
                "thread": str(configurable["thread_id"]),
                "space": configurable["checkpoint_ns"],
                "before": before,
                "now": checkpoint["id"],
                "turn": turn,
                "kept": MOST_TURNS,
            }
            with self.cursor() as cursor:
                cursor.execute(_FORGET, names)
                cursor.execute(_FORGET_WRITES, names)
        return saved

    def forget_last_turn(self, thread: str) -> Turn:
        """Take the last turn of a thread back, and return it.

        The next question is read as if that one had never been asked. Raises InputError where
        nothing was asked yet.
        """
        config: RunnableConfig = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
        last = self.get_tuple(config)
        turns = cast("list[Turn]", last.checkpoint["channel_values"].get("turns")) if last else []
        if last is None or not turns:
            raise InputError("nothing was asked yet", "ask something first")
        values = last.checkpoint["channel_values"]
        before = _messages_before(values.get("messages") or [], turns[-1]["question"])
        said = answered_last(before) or ""
        earlier = {"turns": turns[:-1], "messages": before, "said": said, "question": said}
        kept: Any = {**last.checkpoint, "channel_values": {**values, **earlier}}
        turn = turns[-2]["number"] if turns[1:] else 0
        metadata: Any = {**last.metadata, "turn": turn}
        # Not `put` above: it would forget the checkpoint before, which may hold the oldest turns.
        super().put(last.parent_config or config, kept, metadata, {})
        return turns[-1]


def _messages_before(messages: Sequence[AnyMessage], question: str) -> list[AnyMessage]:
    """The messages before a question, or before a person's last one; greetings are no turns."""
    positions = [
        position for position, message in enumerate(messages) if isinstance(message, HumanMessage)
    ]
    same_text = [position for position in positions if messages[position].text.strip() == question]
    return list(messages[: (same_text or positions)[-1]]) if positions else []


def _last_turn_number(values: Mapping[str, Any]) -> int:
    """The number of the last turn that a state holds; 0 where it holds none."""
    turns = cast("list[Turn]", values.get("turns") or [])
    return turns[-1]["number"] if turns else 0
