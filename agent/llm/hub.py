"""What the Hugging Face hub has: whether it can be had, known within seconds, and its files.

The library that downloads asks for several files, each again and again, before it gives up.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from threading import Thread

from ..errors import ModelError

_MOST_SECONDS = 8.0
"""For the one request, names and proxies included."""


def may_be_hub_id(source: str) -> bool:
    """Whether a name that is no folder may be one of the hub: `owner/name`."""
    return source.count("/") == 1 and not source.startswith(("/", ".", "~"))


@cache
def hub_folder(
    source: str, known: tuple[str, ...], wanted: tuple[str, ...], *, asks_hub: bool = True
) -> Path:
    """The folder of the local cache with those files of a repository that match `wanted`.

    They are downloaded where it `asks_hub`, as `only_in_cache` says, once a process. Raises
    ModelError.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.utils import disable_progress_bars

    only_local = not asks_hub or only_in_cache(source, known)
    disable_progress_bars()
    try:
        folder = snapshot_download(
            source, allow_patterns=[*wanted], local_files_only=only_local, max_workers=1
        )
    except Exception as error:  # the libraries raise many kinds
        raise ModelError(
            f"{source}: cannot be had from the hub ({_in_line(error)})", "try again later"
        ) from error
    return Path(folder)


@cache
def only_in_cache(source: str, known: tuple[str, ...] = ("config.json",)) -> bool:
    """Whether a hub model is to be read from the local cache and nowhere else.

    The cache holds it where it has one of the `known` files. It is to be read from there where
    `HF_HUB_OFFLINE` says so or the hub does not answer one short request. Raises ModelError where
    the cache does not hold it then, and where the hub says that it cannot be had. A process asks
    once.
    """
    from huggingface_hub.constants import is_offline_mode

    cached = in_cache(source, known)
    if is_offline_mode():
        if not cached:
            raise ModelError(
                f"{source}: is no folder and not in the local cache, and HF_HUB_OFFLINE is set",
                "give the folder of a model, or unset it for a download",
            )
        return True
    problem = _problem(source)
    if problem and not cached:
        raise ModelError(
            f"{source}: is no folder and not in the local cache, and the hub cannot be asked "
            f"({problem})",
            "check the path, or the connection",
        )
    return bool(problem)


def in_cache(source: str, known: Sequence[str]) -> bool:
    """Whether the local cache has one of these files of a hub model. Raises ModelError."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        return any(isinstance(try_to_load_from_cache(source, name), str) for name in known)
    except HFValidationError as error:
        raise ModelError(
            f"{source}: is no folder, and no name that the hub can have", "check the name"
        ) from error


def _problem(source: str) -> str:
    """Why the hub cannot be asked for a model; nothing where it has it. Raises ModelError."""
    raised: list[BaseException | None] = []

    def ask() -> None:
        from huggingface_hub import HfApi

        try:
            HfApi().model_info(source, timeout=_MOST_SECONDS)
            raised.append(None)
        except BaseException as error:
            raised.append(error)

    asking = Thread(target=ask, name="asking the hub", daemon=True)
    asking.start()
    asking.join(_MOST_SECONDS)
    if not raised:
        return f"no answer within {_MOST_SECONDS:.0f} s"
    return _reason(source, raised[0]) if raised[0] is not None else ""


def _reason(source: str, error: BaseException) -> str:
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RepositoryNotFoundError

    if isinstance(error, GatedRepoError):
        raise ModelError(
            f"{source}: the hub gives this model only to those who agreed to its terms",
            "agree to them on its page, then log in: hf auth login",
        ) from error
    if isinstance(error, RepositoryNotFoundError):
        raise ModelError(
            f"{source}: is no folder, and the hub has no such model that you may read",
            "check the name; for a private one log in: hf auth login",
        ) from error
    if isinstance(error, HfHubHTTPError):
        return f"status {error.response.status_code}"
    return _in_line(error)


def _in_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
