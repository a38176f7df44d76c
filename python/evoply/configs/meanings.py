"""Descriptions of the keys of a config, read from the docstrings below its fields.

They are read from the source when somebody asks: pydantic would read them for every model whenever
it is imported, and only the reference and forms show them.
"""

import ast
import inspect
import threading
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from textwrap import dedent

from pydantic import BaseModel


def meaning(model: type[BaseModel], name: str) -> str:
    """Return the description of the field *name* of *model*, "" if it has none.

    >>> from evoply.evolution import EvolutionConfig
    >>> meaning(EvolutionConfig, "population_size")
    'Trees in a generation.'
    """
    described = model.model_fields[name].description
    homes = (base for base in model.__mro__ if name in vars(base).get("__annotations__", {}))
    home = next(homes, None)
    if described is not None or home is None:
        return described or ""
    return _docstrings(home).get(name, "")


_PARSING = threading.Lock()


def _docstrings(model: type) -> Mapping[str, str]:
    """Return the texts below the fields that *model* itself has."""
    # CPython before 3.12 may fail with a SystemError where two threads parse at the same time.
    with _PARSING:
        return _parsed_docstrings(model)


@cache
def _parsed_docstrings(model: type) -> Mapping[str, str]:
    try:
        (statement,) = ast.parse(dedent(inspect.getsource(model))).body
    except OSError:  # it was made by a function, and its fields are described there
        return {}
    body = statement.body if isinstance(statement, ast.ClassDef) else []
    return {
        field.target.id: inspect.cleandoc(text.value.value)
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }
