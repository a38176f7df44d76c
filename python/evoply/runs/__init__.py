"""Runs on disk: a folder with `config.toml` and `run.db`, its lock, resume, replay and export."""

from evoply.when_used import give_when_used

give_when_used(__name__)
