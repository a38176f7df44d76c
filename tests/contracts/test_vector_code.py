"""Vectors are used in tasks of a CPU path alone: elsewhere each operation is a call, or many."""

import re
import shutil
import subprocess

import pytest

from evoply import _native

# What Rust's library calls an operation on vectors of 256 and 512 bits. In a function that is
# compiled for a path they are instructions; as functions of their own they are called from one
# that is not.
OPERATION = re.compile(r"core_arch\w*?(_mm(?:256|512)_\w+)")


def operations(symbols: str) -> set[str]:
    """Return the operations on vectors that are functions in a list of symbols."""
    return set(OPERATION.findall(symbols))


def test_an_operation_that_is_a_function_is_noticed() -> None:
    one = "_RNvNtNtNtCsgEmfK2I1SDS_4core9core_arch3x867avx512f16__mm512_and_si512"
    other = "_RNvNtNtNtCsgEmfK2I1SDS_4core9core_arch3x865xsave7__xgetbv"
    assert operations(f"003c1a60 t {one}\n003c1b60 t {other}\n") == {"_mm512_and_si512"}


def test_vectors_are_used_in_tasks_alone() -> None:
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("no nm here, which comes with C compilers")
    command = [nm, "--defined-only", _native.__file__]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "evoply" not in listed:
        pytest.skip("this kernel was built without names of functions, as wheels are")
    found = ", ".join(sorted(operations(listed)))
    assert not found, (
        f"{found}: called outside a task of a CPU path - give the function that uses vectors a "
        "Task, and call it by cpu.call"
    )
