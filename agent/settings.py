"""Settings from `GROUNDWALK_*` variables and a `.env` file in the current folder."""

from pydantic_settings import BaseSettings, SettingsConfigDict

from .env_file import check_env_file


class Settings(BaseSettings):
    """What an option falls back to when it is not given."""

    model_config = SettingsConfigDict(
        env_prefix="GROUNDWALK_", env_file=".env", env_file_encoding="utf-8", extra="ignore"
    )

    kg: str = "world"
    model: str = "bundled"
    reader: str = ""
    method: str = "gcr"
    llm: str = "none"
    device: str = "cpu"
    dtype: str = "auto"
    language: str = ""
    mediators: str = ""
    infer: str = ""


def read_settings() -> Settings:
    """The settings of this process. Raises InputError where `.env` cannot be read."""
    check_env_file()
    return Settings()
