"""Whether a model of the Hugging Face hub can be had, known within seconds.

The library that downloads asks for several files, each again and again, before it gives up.
"""

from functools import cache
from threading import Thread

from ..errors import ModelError

_MOST_SECONDS = 8.0
"""For the one request, names and proxies included."""


@cache
def only_in_cache(source: str) -> bool:
    """Whether a hub model is to be read from the local cache and nowhere else.

    It is where `HF_HUB_OFFLINE` says so or the hub does not answer one short request. Raises
    ModelError where the cache does not hold it then, and where the hub says that it cannot be had.
    A process asks once.
    """
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.constants import is_offline_mode
    from huggingface_hub.errors import HFValidationError

    try:
        cached = isinstance(try_to_load_from_cache(source, "config.json"), str)
    except HFValidationError as error:
        raise ModelError(
            f"{source}: is no folder, and no name that the hub can have", "check --model"
        ) from error
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
    return " ".join(str(error).split())[:200] or type(error).__name__
