"""Ctrl-C in the middle of writing something as data: pydantic would drop it there."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from pydantic import (
    BaseModel,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    model_serializer,
)
from pydantic_core import PydanticSerializationError

from evoply.expressions import features
from evoply.players import ExpressionEvaluator
from evoply.players.evaluators import Model
from evoply.runs.kept_steps import dumped


class Interrupted(Model):
    """A value in whose serializer Ctrl-C comes."""

    inner: ExpressionEvaluator

    @model_serializer(mode="wrap")
    def _written(self, write: SerializerFunctionWrapHandler) -> Any:
        signal.raise_signal(signal.SIGINT)
        return write(self)


def _interrupting(text: str) -> str:
    signal.raise_signal(signal.SIGINT)
    return text


@dataclass
class InterruptedStep:
    """A step of a run in whose serializer Ctrl-C comes."""

    text: Annotated[str, PlainSerializer(_interrupting)]


@pytest.fixture
def interrupted() -> Interrupted:
    expression = features.discs("own").to_dict()
    return Interrupted(inner=ExpressionEvaluator(expression=expression))


@pytest.mark.parametrize("dump", ["model_dump", "model_dump_json"])
def test_ctrl_c_is_heard_when_it_is_written(interrupted: Interrupted, dump: str) -> None:
    usual = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        getattr(interrupted, dump)()
    assert signal.getsignal(signal.SIGINT) is usual


def test_a_step_is_written_whole_too() -> None:
    step = InterruptedStep("any")
    with pytest.raises(KeyboardInterrupt):
        dumped(step)


def test_pydantic_alone_makes_another_error_of_it(interrupted: Interrupted) -> None:
    """The reason for all this: once it does not, it can go."""
    with pytest.raises(PydanticSerializationError, match="KeyboardInterrupt"):
        BaseModel.model_dump(interrupted)
