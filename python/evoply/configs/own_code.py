"""A user's own Python, named by a text: `python:FILE.py:NAME` or `python:MODULE:NAME`.

The text is how configs, runs and experiments name a fitness, an operator, a learner or a player. A
*pinned* text has an absolute path, and at its end `#` and the SHA-256 of the file, so that other
code never takes its place unseen; modules that the file imports are not covered. Reading, checking
and writing such texts imports nothing; `OwnCode.loaded` alone runs the file.

An object that a user gives as an argument becomes such a text at the door (`text_of`); behind it
there are only texts. If no file has the object, the text says so, `python:(argument):NAME#SHA`,
and means something only in the process that was given it.

What a user types names any file. What is *carried* (by a run, an experiment, rules, the page) names
only pinned files, and they run only where the user named the same ones, or allowed all of them
with `code_in_runs_allowed`. The same holds for programs: engines and bots.

Reasons: docs/design/evolution.md, docs/security.md.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator

from evoply.environment.files import lies_in_run
from evoply.wording import did_you_mean, shorten

_MOST_NAMES = 10
"""Names of a file that a message lists."""

PREFIX = "python:"
FORM = "python:FILE.py:NAME or python:MODULE:NAME"
_TEXT = re.compile(
    r"python:(?P<where>.+?):(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)(?:#(?P<checksum>[0-9a-f]{64}))?",
    re.DOTALL,
)
_ARGUMENT = re.compile(
    r"python:(?P<where>\(argument(?: \d+)?\)):(?P<name>[\w.<>]+)#(?P<checksum>[0-9a-f]{64})"
)
"""An object that no file has; of several with the same name and source all but one are numbered."""
_WHOLE = "*"
"""Stands for the whole file where no name in it matters."""
_LONGEST_TEXT = 4000
_LONGEST_ERROR = 500
_MODULES = "evoply own code"
"""How the names of modules that were loaded from files begin."""

_IMPORTING: ContextVar[str] = ContextVar("_IMPORTING", default="")
_CARRIED: ContextVar[bool | None] = ContextVar("_CARRIED", default=None)
"""None where a user types; else whether programs may be named at all."""

# Of the whole process, because players take their seats in threads of their own.
_NAMED: set[str] = set()
"""Programs that the user named, each by what is the same wherever it is named again."""
_ALLOWING: list[None] = []
"""As long as the blocks of `code_in_runs_allowed` that are open."""
_GIVEN: dict[str, Any] = {}
"""What the user gave as arguments, each by the text that stands for it."""


@dataclass(frozen=True, slots=True)
class OwnCode:
    """A function, class or value in a Python file of the user."""

    where: str
    """The path of a file that ends in `.py`, the name of a module, or that it is an argument."""
    name: str
    """Its name there; one inside a class has dots. Of an argument, with its module."""
    checksum: str = ""
    """The SHA-256 of the file, in hexadecimal; "" if the text is not pinned. Of an argument that of
    its own source and settings."""

    @classmethod
    def from_text(cls, text: str) -> OwnCode:
        """Return what *text* names; `ValueError` unless it is of the form."""
        stripped = text.strip() if len(text) <= _LONGEST_TEXT else ""
        argument = _ARGUMENT.fullmatch(stripped)
        written = argument or _TEXT.fullmatch(stripped)
        where = "" if written is None else written["where"]
        is_known = argument is not None or where.endswith(".py") or _is_module(where)
        if written is None or not is_known:
            raise ValueError(f"{shorten(text)!r} names no Python: write {FORM}")
        return cls(where, written["name"], written["checksum"] or "")

    def __str__(self) -> str:
        return f"{PREFIX}{self.where}:{self.name}" + (f"#{self.checksum}" if self.checksum else "")

    @property
    def label(self) -> str:
        """The text for people: without folder and checksum."""
        if self.is_argument:
            return self.name
        where = Path(self.where).name if self.is_file else self.where
        return f"{PREFIX}{where}" + f":{self.name}" * (self.name != _WHOLE)

    @property
    def is_file(self) -> bool:
        """Whether it is named by a path."""
        return self.where.endswith(".py")

    @property
    def is_argument(self) -> bool:
        """Whether it stands for an object that no file has."""
        return self.where.startswith("(") and not self.is_file

    @property
    def identity(self) -> str:
        """The text for a digest, which no path and no name of a file changes."""
        return f"{self.name}#{self.checksum}"

    def file(self) -> Path:
        """Return the path of its file, found without importing anything; `ValueError` if none."""
        if self.is_argument:
            raise ValueError(
                f"{self.name} cannot be named: {_why_nameless(self.name)} - write it into a file, "
                "and name it as python:FILE.py:NAME"
            )
        path = Path(self.where).resolve() if self.is_file else _file_of_module(self.where)
        if path is None or not path.is_file():
            what = "there is no such file" if self.is_file else "no module of this name has a file"
            raise ValueError(f"{self.label}: {what}{f' at {path}' if self.is_file else ''}")
        return path

    def pinned(self) -> OwnCode:
        """Return it with absolute path and checksum; one that has a checksum is returned as it is.

        Raises `ValueError` if there is no such file, or if the text is `carried`. Nothing is
        imported.
        """
        if self.checksum:
            if self.is_file and not Path(self.where).is_absolute():
                raise ValueError(
                    f"{self.label}: with a checksum its path is absolute - put it back"
                )
            return self
        if is_carried():
            raise ValueError(f"{self.label}: is named here without its checksum - put it back")
        path = self.file()
        return replace(self, where=str(path) if self.is_file else self.where, checksum=_sha(path))

    def named_by_user(self) -> OwnCode:
        """Return it `pinned`; its file may run, because the user names it."""
        code = self.pinned()
        if not is_carried():
            name_program(code._place)
        return code

    @property
    def _place(self) -> str:
        return json.dumps(["python", self.where, self.name, self.checksum])

    def check(self) -> None:
        """Raise `ValueError` unless the file is there and, if it is pinned, unchanged.

        An argument must be one of this process.
        """
        if not self.is_argument:
            self.source()
        elif str(self) not in _GIVEN:
            raise ValueError(
                f"{self.name} is Python that was given as an argument, and "
                f"{_why_nameless(self.name)} - write it into a file, and name it as "
                "python:FILE.py:NAME"
            )

    def loaded(self) -> Any:
        """Return the object that the user gave, or import the file, and return what is named.

        Each content of a file is imported once: changing the file does not disturb a run that goes
        on. Raises `ValueError` that says what is wrong: the file is missing or was changed, is
        named only by a run, cannot be imported, or has nothing of this name.
        """
        pinned = self.pinned()
        if str(pinned) in _GIVEN:
            return _GIVEN[str(pinned)]
        if self.is_argument:
            self.check()
        check_may_run(pinned._place, f"{self.label} ({pinned.where})")
        found: Any = _module(replace(pinned, name=_WHOLE))
        for place, part in enumerate(self.name.split(".")):
            if place and isinstance(found, ModuleType):
                raise ValueError(f"{self.label}: names a module inside a module - name that one")
            if not hasattr(found, part):
                raise ValueError(f"{self.label}: there is no {part!r}{_hint_of(part, found)}")
            found = getattr(found, part)
        return found

    def source(self) -> tuple[Path, bytes]:
        """Return the path and the content of its file; `ValueError` as `check` says."""
        path = self.file()
        try:
            source = path.read_bytes()
        except OSError as error:
            raise ValueError(f"{self.label}: {path}: {error.strerror or error}") from None
        now = hashlib.sha256(source).hexdigest()
        if self.checksum and now != self.checksum:
            raise ValueError(
                f"{self.label}: {path} is not the file that was named: its SHA-256 begins with "
                f"{now[:12]}, not {self.checksum[:12]} - put the original back, or begin anew with "
                "the changed file"
            )
        return path, source


def is_own_code(text: object) -> bool:
    """Return whether *text* says that it names Python."""
    return isinstance(text, str) and text.lstrip().startswith(PREFIX)


def pinned_text(text: str) -> str:
    """Return *text* pinned, as `OwnCode.pinned` does; `ValueError` if that is impossible.

    One that is pinned already may come from a run: only another is named by the user here.
    """
    code = OwnCode.from_text(text)
    if not has_programs():
        raise ValueError(f"{code.label}: Python cannot be named here - use `evoply evolve`")
    return str(code.pinned() if code.checksum else code.named_by_user())


Code = Annotated[str, AfterValidator(pinned_text)]
"""A key of a config that names the user's Python; its value is always pinned."""


def carried_code(text: str) -> OwnCode:
    """Return what a *text* of a run names; `ValueError` unless it has a checksum."""
    with carried():
        return OwnCode.from_text(text).pinned()


CarriedCode = Annotated[str, AfterValidator(lambda text: str(carried_code(text)))]
"""The same in what is carried: the text has its checksum already."""


class NamedCode(NamedTuple):
    """A text that names Python in a config."""

    path: str
    """The key whose value it is, or the table whose `code` it is."""
    code: OwnCode
    settings: Any = None
    """What its table has as `settings`, None without one."""

    @property
    def identity(self) -> str:
        """What it is known by, wherever its file lies."""
        return f"{self.code.identity} {json.dumps(self.settings or {}, sort_keys=True)}"


def codes_in(data: Any, path: str = "") -> Iterator[NamedCode]:
    """Yield the texts in nested *data* that name Python, also those in players in JSON form."""
    if isinstance(data, str):
        if is_own_code(data):
            yield NamedCode(path, OwnCode.from_text(data))
        elif data.lstrip().startswith("{") and PREFIX in data:
            try:
                yield from codes_in(json.loads(data), path)
            except (ValueError, RecursionError):
                return  # who reads the player says so
    elif isinstance(data, Mapping):
        if is_own_code(data.get("code")):
            yield NamedCode(path, OwnCode.from_text(data["code"]), data.get("settings"))
            data = {key: value for key, value in data.items() if key != "code"}
        for key, value in data.items():
            yield from codes_in(value, f"{path}.{key}".lstrip("."))
    elif isinstance(data, list | tuple):
        for index, value in enumerate(data):
            yield from codes_in(value, f"{path}.{index}".lstrip("."))


def other_codes(before: Any, now: Any) -> list[tuple[NamedCode | None, NamedCode]]:
    """Return each text in *now* that *before* has not or has otherwise, after the one there."""
    known = {each.path: each for each in codes_in(before)}
    pairs = [(known.get(each.path), each) for each in codes_in(now)]
    return [(old, new) for old, new in pairs if old is None or old.identity != new.identity]


def without_places(data: Any) -> Any:
    """Return nested *data* with the `identity` of each pinned text in it, for a digest."""
    if isinstance(data, Mapping):
        return {key: without_places(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [without_places(value) for value in data]
    return OwnCode.from_text(data).pinned().identity if is_own_code(data) else data


def text_of(part: Any, source: Any = None, settings: str = "") -> str:
    """Return the text that stands for a user's object, by which this process finds it.

    It is the pinned name if a file has it. Else it is known by its qualified name and the checksum
    of its source and *settings*; *source* is the function it is made of, if it is none itself.
    """
    code = _named(part)
    if code is not None:
        text = str(code.named_by_user())
        _GIVEN[text] = part
        return text
    source = part if source is None else source
    while isinstance(source, partial):
        settings = f"{settings}{source.args!r}{sorted(source.keywords.items())!r}"
        source = source.func
    name, checksum = qualified_name(source), _source_checksum(source, settings)
    for number in count(1):  # two functions made in one place may remember different values
        where = "(argument)" if number == 1 else f"(argument {number})"
        text = str(OwnCode(where, name, checksum))
        if _GIVEN.setdefault(text, part) is part:
            break
    return text


def _source_checksum(part: Any, settings: str) -> str:
    try:
        source = inspect.getsource(part if hasattr(part, "__qualname__") else type(part))
    except (OSError, TypeError):  # typed at a prompt, or not written in Python
        code = getattr(part, "__code__", None)
        source = "" if code is None else f"{code.co_code.hex()} {code.co_names} {code.co_varnames}"
    return hashlib.sha256(f"{source}{settings}".encode()).hexdigest()


def put_in_place(before: OwnCode, now: OwnCode) -> None:
    """Let *before* name in this process what *now* stands for, an object that the user gave."""
    _GIVEN[str(before)] = _GIVEN[str(now)]


def _named(part: Any) -> OwnCode | None:
    """Return the name of a function, a class or a global value of a module; None without a file."""
    is_definition = hasattr(part, "__qualname__")
    definition = part if is_definition else type(part)
    module, name = sys.modules.get(definition.__module__), definition.__qualname__
    if not is_definition:
        module, name = _place_of(part, module)
    path = getattr(module, "__file__", None)
    is_in_file = path is not None and str(path).endswith(".py")
    if module is None or not is_in_file or _global(module, name) is not part:
        return None
    is_alone = not (module.__spec__ and module.__spec__.parent) or module.__name__ == "__main__"
    return OwnCode(str(Path(str(path)).resolve()) if is_alone else module.__name__, name)


def qualified_name(part: Any) -> str:
    """Return the module and name of a function or a class, or of the class of a value."""
    while isinstance(part, partial):
        part = part.func
    definition = part if hasattr(part, "__qualname__") else type(part)
    module = definition.__module__
    if module.startswith(_MODULES):
        module = module.removeprefix(_MODULES).strip().rpartition(" ")[0]
    return f"{module}.{definition.__qualname__}"


def _place_of(part: Any, first: ModuleType | None) -> tuple[ModuleType | None, str]:
    """Return the module and the name of a global value, looked for in *first* before others."""
    for module in (first, *sys.modules.values()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if value is part and name.isidentifier():
                return module, name
    return None, ""


def _hint_of(name: str, found: Any) -> str:
    """Return which name in *found* was meant, or which it has of its own; "" if it has none."""
    values = {key: value for key, value in vars(found).items() if not key.startswith("_")}
    hint = did_you_mean(name, values)
    if hint or not isinstance(found, ModuleType):
        return hint
    own = [
        key
        for key, value in values.items()
        if not isinstance(value, ModuleType)
        and (not hasattr(value, "__qualname__") or value.__module__ == found.__name__)
    ]
    return f" - it has {', '.join(own[:_MOST_NAMES])}" if own else ""


def _why_nameless(name: str) -> str:
    """Return why no file has an object of this qualified name."""
    if "<lambda>" in name:
        return "it is a lambda"
    if "<locals>" in name:
        return "it is defined inside a function"
    typed = "was typed at a prompt or in a notebook, or " if name.startswith("__main__.") else ""
    return f"it {typed}is no global of a file"


def check_nothing_imports(what: str) -> None:
    """Raise `ValueError` if *what* is begun by a file that is being imported as own code.

    Its processes would import the file, too, and so on without end.
    """
    file = _IMPORTING.get()
    if file:
        raise ValueError(
            f'{file} begins {what} while it is imported: put that below if __name__ == "__main__":'
        )


@contextmanager
def code_in_runs_allowed(is_allowed: bool = True) -> Iterator[None]:
    """Let Python, engines and bots run in this block although only a run or a league names them.

    Such a folder may come from somebody else, and what it names with it.
    """
    if is_allowed:
        _ALLOWING.append(None)
    try:
        yield
    finally:
        if is_allowed:
            _ALLOWING.pop()


@contextmanager
def carried(*, with_programs: bool = True) -> Iterator[None]:
    """Read texts in this block as what a file, the page or a socket carries.

    They name no file, engine or bot, and Python only with its checksum, which nobody is asked to
    run. *with_programs* as the run of a user may have them; what the page carries has none.
    """
    token = _CARRIED.set(with_programs)
    try:
        yield
    finally:
        _CARRIED.reset(token)


def is_carried() -> bool:
    """Return whether texts are read as what is `carried`."""
    return _CARRIED.get() is not None


def has_programs() -> bool:
    """Return whether what is read may name programs."""
    return _CARRIED.get() is not False


def reading(path: str | Path) -> AbstractContextManager[None]:
    """Return the block in which the config at *path* is read.

    What lies in the folder of a run, an experiment or a league is `carried`; all else is the
    user's own.
    """
    return carried() if lies_in_run(path) else nullcontext()


def name_program(program: str) -> None:
    """Note that the user names *program*, by what is the same wherever it is named."""
    _NAMED.add(program)


def permissions() -> dict[str, Any]:
    """Return what may run in this process, for one that works for it; see `with_permissions`."""
    return {"all": bool(_ALLOWING), "named": sorted(_NAMED)}


def with_permissions(permitted: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Return the block in which what may run in the process that this one works for may run here.

    What that one's user named may run afterwards, too.
    """
    _NAMED.update(permitted["named"])
    return code_in_runs_allowed(bool(permitted["all"]))


def check_may_run(program: str, label: str) -> None:
    """Raise `ValueError` unless the user named *program* or allowed what runs name."""
    if _ALLOWING:
        # What one part of the work may run, a thread of it may run after the block, too.
        name_program(program)
    elif program not in _NAMED:
        raise ValueError(
            f"{shorten(label, _LONGEST_ERROR)}: only a run, an experiment or a league names this "
            "program, and it may come from somebody else - look at it, then allow it with "
            "--code-in-runs, or name it yourself (Python without its checksum)"
        )


def complaint(error: BaseException) -> str:
    """Return file, line and words of an error that rose in code loaded from a file, else ""."""
    trace, place = error.__traceback__, ""
    while trace is not None:
        frame = trace.tb_frame
        if str(frame.f_globals.get("__name__", "")).startswith(_MODULES):
            place = f"{frame.f_code.co_filename}, line {trace.tb_lineno}, in {frame.f_code.co_name}"
        trace = trace.tb_next
    return place and f"{place}: {type(error).__name__}: {shorten(str(error), _LONGEST_ERROR)}"


def _is_module(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


def _global(module: ModuleType, name: str) -> Any:
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _file_of_module(name: str) -> Path | None:
    """Return the file of a module; its parents are not imported, as `find_spec` would do."""
    places: Any = None
    spec: ModuleSpec | None = None
    before = ""
    for part in name.split("."):
        before = f"{before}.{part}".lstrip(".")
        finders = (getattr(finder, "find_spec", None) for finder in sys.meta_path)
        found = (find(before, places) for find in finders if find is not None)
        spec = next((one for one in found if one is not None), None)
        if spec is None:
            return None
        places = spec.submodule_search_locations
    is_file = spec is not None and spec.has_location and str(spec.origin).endswith(".py")
    return Path(str(spec.origin)) if spec is not None and is_file else None


def _sha(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None


class _Loader(SourceFileLoader):
    """Runs the bytes that were checked, never a compiled file beside them."""

    def __init__(self, name: str, path: str, source: bytes) -> None:
        super().__init__(name, path)
        self._checked = source

    def get_code(self, fullname: str) -> Any:
        return self.source_to_code(self._checked, self.path)


@lru_cache(maxsize=256)
def _module(code: OwnCode) -> ModuleType:
    """Return the module of a pinned *code*, imported now; its name does not matter."""
    path, source = code.source()
    label = code.label
    token = _IMPORTING.set(str(path))
    own = _CARRIED.set(None)  # what the user's file reads is the user's
    sys.path.insert(0, str(path.parent))
    try:
        return _from_file(path, source) if code.is_file else importlib.import_module(code.where)
    except (Exception, SystemExit) as error:
        line = _line_in(path, error)
        why = f"{type(error).__name__}: {shorten(str(error), _LONGEST_ERROR)}"
        raise ValueError(f"{label}: importing {path}{line} raised {why}") from error
    finally:
        sys.path.remove(str(path.parent))
        _CARRIED.reset(own)
        _IMPORTING.reset(token)


def _from_file(path: Path, source: bytes) -> ModuleType:
    name = f"{_MODULES} {path.stem} {hashlib.sha256(source + bytes(path)).hexdigest()[:16]}"
    loader = _Loader(name, str(path), source)
    spec = spec_from_loader(name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pydantic look for it there
    try:
        loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _line_in(path: Path, error: BaseException) -> str:
    """Return " line N" of the file where the error rose, "" if it is unknown."""
    line = error.lineno if isinstance(error, SyntaxError) else None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return "" if line is None else f", line {line},"
