"""Fine-tuning a causal language model with Hugging Face's `Trainer`: whole, or by adapters.

It runs in one process or several (`accelerate launch`), in bfloat16 where the hardware has it, and
goes on from its checkpoints. Low-rank adapters are merged into the model at the end.
"""

import shutil
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import torch
from accelerate import PartialState
from accelerate.utils import broadcast
from torch.utils.data import DataLoader, Dataset
from transformers import (
    AddedToken,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

from ...agent.decoding.torch_network import forget
from ...agent.decoding.wire import MARKERS, QUERY_MARKERS
from ...agent.errors import InputError, ModelError
from ...agent.llm.local import LocalModel, load_model
from ..encoder import MAX_LENGTH, Batches, Encoded, Encoder
from .checkpoint import EVERY, read_state, write_state
from .job import INTERRUPTED, PATIENCE_IS_OVER, Job, Trained, TrainedModel, read_trained
from .plain_loop import has_bfloat16, padded, weighted_loss

_RANK = 16
"""Of the adapters; they are scaled by 2."""


def fine_tuned(job: Job) -> TrainedModel | None:
    """The model, where its training had come to its end; only the first process goes on with it."""
    made = read_trained(job, "cuda" if torch.cuda.is_available() else "cpu")
    PartialState().wait_for_everyone()
    if made is not None and not PartialState().is_main_process:
        raise SystemExit(0)
    return made


def fine_tune(job: Job) -> TrainedModel:
    """Teach the formats to the base model of a recipe.

    Under `accelerate launch` every process takes its share of each batch, and only the first goes
    on after the training. Raises ModelError and InputError.
    """
    recipe = job.recipe
    base = load_base(recipe.base)
    torch.manual_seed(recipe.seed)
    markers = (*MARKERS, *QUERY_MARKERS) if "query" in recipe.formats else MARKERS
    add_markers(base.model, base.tokenizer, markers)
    masked = base.settings.masked if recipe.mask is None else recipe.mask
    instruct = base.settings.instruct
    encoder = Encoder(job.material.graph, base.tokenizer, masked=masked, instruct=instruct)
    dtype: Any = base.model.dtype
    bfloat16 = has_bfloat16("cuda" if torch.cuda.is_available() else "cpu")
    frozen_in_bfloat16 = recipe.lora and bfloat16 and dtype != torch.float32
    cast(Any, base.model).to(torch.bfloat16 if frozen_in_bfloat16 else torch.float32)
    adapted: Any = _adapted(base, markers) if recipe.lora else None
    local = replace(base, settings=job.settings(masked=masked, instruct=instruct))
    try:
        trained = train_with_hf(
            adapted or base.model, local, job.batches(encoder), job, encoder.units.pad
        )
    except RuntimeError as error:
        if not _is_out_of_memory(error):
            raise
        raise InputError(
            f"the memory does not suffice for {job.schedule.batch} samples at once",
            _LESS_MEMORY if not recipe.lora else "--accumulate 4 takes them in parts",
        ) from error
    model = cast(PreTrainedModel, adapted.merge_and_unload() if adapted else base.model)
    return TrainedModel(replace(local, model=model.to(dtype).eval()), trained)


_LESS_MEMORY = "--accumulate 4 takes them in parts; --lora trains a few weights only"


def load_base(source: str) -> LocalModel:
    """A causal language model, from a folder or the hub. Raises ModelError."""
    base = load_model(source)
    architectures = base.model.config.architectures
    if architectures and not set(architectures) & set(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.values()):
        raise ModelError(
            f"{source}: is not a causal language model ({', '.join(architectures)})",
            "give one that writes text from left to right",
        )
    if not base.tokenizer.is_fast:
        raise ModelError(f"{source}: has no fast tokenizer", "give another base model")
    return base


def add_markers(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    markers: Sequence[str] = MARKERS,
) -> None:
    """Make each marker of the wire formats a token, with an embedding."""
    known = cast(Any, tokenizer).get_added_vocab()
    for text in markers:
        if text not in known:
            tokenizer.add_tokens(
                AddedToken(text, special=True, normalized=False), special_tokens=True
            )
    if len(tokenizer) > cast(Any, model).get_input_embeddings().num_embeddings:
        model.resize_token_embeddings(len(tokenizer))
    if tokenizer.model_max_length < MAX_LENGTH:
        tokenizer.model_max_length = MAX_LENGTH


def _adapted(base: LocalModel, markers: Sequence[str]) -> Any:
    """The model with adapters at all linear layers; the embeddings of the markers are trained."""
    from peft import LoraConfig, get_peft_model

    model: Any = base.model
    ends = {id(model.get_input_embeddings())}
    if not model.config.get_text_config().tie_word_embeddings:
        ends.add(id(model.get_output_embeddings()))
    added = cast(Any, base.tokenizer).get_added_vocab()
    tokens = sorted(added[marker] for marker in markers)
    names = [
        name.rpartition(".")[2] for name, module in model.named_modules() if id(module) in ends
    ]
    config = LoraConfig(
        r=_RANK,
        lora_alpha=2 * _RANK,
        target_modules="all-linear",
        trainable_token_indices=dict.fromkeys(names, tokens),
        task_type="CAUSAL_LM",
    )
    return get_peft_model(model, config)


def _is_out_of_memory(error: RuntimeError) -> bool:
    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)


_LARGE = 100_000_000
"""Weights from which a layer's activations are computed again instead of kept."""


def train_with_hf(model: Any, local: LocalModel, batches: Batches, job: Job, pad: int) -> Trained:
    """Train in place, from the last checkpoint; `model` is `local.model` or wraps it.

    Processes of `accelerate launch` other than the first end here.
    """
    run = _Run(job, local)
    latest = _latest(job.partial)
    if latest is not None:
        run.resume(latest)
    trainer = _Trainer(
        model=model,
        args=_arguments(job, model),
        train_dataset=_Samples(batches, job.schedule.steps),
        data_collator=_Collator(pad),
        callbacks=[run],
    )
    trainer.run = run
    trainer.remove_callback(PrinterCallback)
    try:
        trainer.train(resume_from_checkpoint=str(latest) if latest else None)
    except KeyboardInterrupt:
        run.stopped = INTERRUPTED
    if not PartialState().is_main_process:
        raise SystemExit(0)
    run.looks.restore(local.model)
    local.model.eval()
    forget(local.model)
    return Trained(trainer.state.global_step, run.loss, run.stopped, dict(run.looks.seen))


def _arguments(job: Job, model: Any) -> TrainingArguments:
    schedule, recipe = job.schedule, job.recipe
    cuda = torch.cuda.is_available()
    again = sum(p.numel() for p in model.parameters()) > _LARGE
    name = "activation_checkpointing"
    if name not in TrainingArguments.__dataclass_fields__:
        name = "gradient_checkpointing"
    processes = PartialState(cpu=not cuda).num_processes
    options: dict[str, Any] = {
        name: again,
        f"{name}_kwargs": {"use_reentrant": False},
        "output_dir": str(job.partial),
        "use_cpu": not cuda,
        "bf16": has_bfloat16("cuda" if cuda else "cpu"),
        "max_steps": schedule.steps,
        "per_device_train_batch_size": _share(schedule.batch, processes * recipe.accumulate),
        "gradient_accumulation_steps": recipe.accumulate,
        "learning_rate": schedule.rate,
        "lr_scheduler_type": "cosine",
        "warmup_steps": min(schedule.warm_up, schedule.steps // 5),
        "weight_decay": schedule.decay,
        "max_grad_norm": schedule.clip,
        "seed": recipe.seed,
        "save_strategy": "no",
        "save_total_limit": 2,
        "logging_strategy": "no",
        "report_to": "none",
        "disable_tqdm": True,
        "remove_unused_columns": False,
        "dataloader_pin_memory": cuda,
        "ddp_find_unused_parameters": False,
    }
    return TrainingArguments(**options)


class _Samples(Dataset[Encoded]):
    """The samples of all batches by number, in the order in which they are trained on."""

    def __init__(self, batches: Batches, steps: int) -> None:
        self._batches = batches
        self._steps = steps

    def __len__(self) -> int:
        return self._steps * self._batches.batch

    def __getitem__(self, number: int) -> Encoded:
        batch, index = divmod(number, self._batches.batch)
        return self._batches[batch][index]


class _Collator:
    """Samples side by side, padded on the right."""

    def __init__(self, pad: int) -> None:
        self._pad = pad

    def __call__(self, samples: list[Encoded]) -> dict[str, torch.Tensor]:
        ids, weights = padded(samples, self._pad)
        lengths = torch.tensor([len(sample.ids) for sample in samples])
        mask = torch.arange(ids.shape[1]) < lengths[:, None]
        return {"input_ids": ids, "attention_mask": mask.long(), "weights": weights}


class _Run(TrainerCallback):
    """Watches a run: held-out questions, when to stop, when to write a checkpoint."""

    def __init__(self, job: Job, local: LocalModel) -> None:
        self.looks = job.looks(local)
        self.loss = 0.0
        self.stopped = ""
        self._elapsed = job.elapsed
        self._watcher = job.watcher
        self._local = local
        self._saved = time.monotonic()
        self._now = 0.0

    def add(self, loss: float) -> None:
        """Count the loss of a part of a batch."""
        self._now += loss

    def resume(self, checkpoint: Path) -> None:
        """Take over from an earlier process."""
        state = read_state(checkpoint)
        assert state is not None
        best, values = state
        self.loss = values["loss"]
        self.looks.resume({int(step): hits for step, hits in values["seen"].items()}, best)
        self._watcher.say(f"the training goes on from step {values['done']}")

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Look, and decide for all processes what comes next."""
        done = state.global_step
        self.loss += max(0.02, 1 / done) * (self._now - self.loss)
        self._now = 0.0
        first = PartialState().is_main_process
        if first and self.looks.is_due(done):
            self.looks.look(done, self._local.model)
        self._watcher.step(done, state.max_steps, self.loss, self.looks.last)
        save = time.monotonic() - self._saved >= EVERY
        flags = torch.tensor([int(save), int(self.looks.is_over)], device=args.device)
        save, over = cast(torch.Tensor, broadcast(flags)).tolist()
        if over:
            self.stopped = PATIENCE_IS_OVER
            control.should_training_stop = True
        elif save:
            control.should_save = True
            self._saved = time.monotonic()

    def on_save(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Complete a checkpoint: without this file it does not count."""
        if state.is_world_process_zero:
            checkpoint = Path(str(args.output_dir)) / f"checkpoint-{state.global_step}"
            values = {"done": state.global_step, "loss": self.loss, "seen": self.looks.seen}
            self._elapsed.save()
            write_state(checkpoint, self.looks.weights, values)


class _Trainer(Trainer):
    """Hugging Face's loop over our batches, in their order, with our weighted loss."""

    run: _Run

    def get_train_dataloader(self) -> DataLoader[Any]:
        """The samples in their order; each process takes its part of every batch."""
        size = self.args.per_device_train_batch_size
        samples: Any = self.train_dataset
        loader = DataLoader(samples, batch_size=size, collate_fn=cast(Any, self.data_collator))
        return cast("DataLoader[Any]", self.accelerator.prepare(loader))

    def compute_loss(self, model: Any, inputs: dict[str, Any], *_: Any, **__: Any) -> Any:
        """The mean over the completions of a batch."""
        ids, weights = inputs["input_ids"], inputs["weights"]
        mask = inputs["attention_mask"]
        logits = model(input_ids=ids, attention_mask=mask, use_cache=False).logits
        wanted = weights[:, 1:] > 0
        return weighted_loss(
            logits[:, :-1][wanted].float(), ids[:, 1:][wanted], weights[:, 1:][wanted]
        )

    def training_step(self, *args: Any, **options: Any) -> torch.Tensor:
        """A part of a step, whose loss is counted."""
        loss = super().training_step(*args, **options)
        self.run.add(loss.item())
        return loss


def _latest(folder: Path) -> Path | None:
    """The last complete checkpoint; what was cut off while it was written goes."""
    complete = dict[int, Path]()
    for checkpoint in folder.glob("checkpoint-*"):
        if read_state(checkpoint):
            complete[int(checkpoint.name.rpartition("-")[2])] = checkpoint
        elif PartialState().is_main_process:
            shutil.rmtree(checkpoint)
    return complete[max(complete)] if complete else None


def _share(batch: int, parts: int) -> int:
    if batch % parts:
        raise InputError(
            f"a batch of {batch} cannot be split in {parts} equal parts",
            "give a --batch that is a multiple of the processes times --accumulate",
        )
    return batch // parts
