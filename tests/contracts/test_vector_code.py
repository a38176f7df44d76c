"""Vectors are used in tasks of a CPU path alone: elsewhere each operation is a call, or many."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from evoply import _native

# What Rust's library calls an operation on vectors of 256 and 512 bits. In a function that is compiled
# for a path they are instructions; as functions of their own they are called from one that is not.
OPERATION = re.compile(r"core_arch\w*?(_mm(?:256|512)_\w+)")


def operations(symbols: str) -> set[str]:
    """Return the operations on vectors that are functions in a list of symbols."""
    return set(OPERATION.findall(symbols))


def test_an_operation_that_is_a_function_is_noticed() -> None:
    name = "_RNvNtNtNtCsgEmfK2I1SDS_4core9core_arch3x867avx512f16__mm512_and_si512"
    assert operations(f"00000000003c1a60 t {name}\n0000 t _RNv4core9core_arch5xsave7__xgetbv") == {"_mm512_and_si512"}


def test_vectors_are_used_in_tasks_alone() -> None:
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("no nm here, which comes with C compilers")
    listed = subprocess.run(
        [nm, "--defined-only", str(Path(_native.__file__))], capture_output=True, text=True, check=True
    )
    if "evoply" not in listed.stdout:
        pytest.skip("this kernel was built without names of functions, as wheels are")
    found = operations(listed.stdout)
    assert not found, (
        f"{', '.join(sorted(found))}: called outside a task of a CPU path - give the function that uses "
        "vectors a Task, and call it by cpu.call"
    )
