"""Private names of libraries: where our code touches them, and whether a library still has them.

A name is private if it begins with an underscore, and so is whatever is imported from a module whose name
does. Of `self` it is known by the classes whether a name is the library's; of anything else it is taken for
the library's if that has the name anywhere and the same file does not give it to a class of ours.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PACKAGES = {"kk_core": "kk_core", "kk_tui": "kk_tui", "kk_server": "server/kk_server", "kk_learn": "kk_learn"}
OF_PYTHON = ("_replace", "_asdict", "_fields", "_make")
"""Names of named tuples, which anybody may use."""


_BY_NAME = ("getattr", "setattr", "delattr")


class Touch(NamedTuple):
    """A place where our code uses a private name; `owners` are the library's classes or modules that may be
    meant, nothing if that is not known."""

    file: str
    line: int
    name: str
    owners: frozenset[str] = frozenset()

    def is_one_of(self, listed: Iterable[str]) -> bool:
        """Whether a list of full names has it."""
        for full in listed:
            owner, _, name = full.rpartition(".")
            if name == self.name and (not self.owners or owner in self.owners):
                return True
        return False

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.name} of {', '.join(sorted(self.owners)) or '?'}"


def missing(listed: Iterable[str]) -> list[str]:
    """The full names, such as `textual.screen.Screen._compositor`, that are not there any more.

    What a function keeps in whatever it is given stands behind the function.
    """
    return [full for full in listed if not _is_there(*full.rpartition(".")[::2])]


def _is_there(owner: str, name: str) -> bool:
    module, _, cls = owner.rpartition(".")
    if not cls[:1].isupper():
        try:
            return hasattr(import_module(owner), name)
        except ModuleNotFoundError:
            return _is_used_in(module, cls, name)
    try:
        found = getattr(import_module(module), cls, None)
    except ModuleNotFoundError:
        return False
    return isinstance(found, type) and any(name in members(base) for base in found.__mro__)


def _is_used_in(module: str, function: str, name: str) -> bool:
    """Tell whether a function looks for an attribute of this name in what it is given."""
    try:
        found = getattr(import_module(module), function, None)
    except ModuleNotFoundError:
        return False
    if not inspect.isfunction(found):
        return False
    nodes = ast.walk(ast.parse(dedent(inspect.getsource(found))))
    return any(isinstance(node, ast.Attribute) and node.attr == name for node in nodes)


@cache
def members(cls: type) -> frozenset[str]:
    """The private names that a class gives its instances, or itself."""
    names = {*vars(cls), *vars(cls).get("__annotations__", ()), *getattr(cls, "__slots__", ())}
    try:
        source = dedent(inspect.getsource(cls))
    except (OSError, TypeError):
        source = ""
    names |= {
        node.attr
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_self(node.value)
    }
    return frozenset(filter(is_private, names))


def is_private(name: str) -> bool:
    """Whether it begins with one underscore, and goes on."""
    return name.startswith("_") and not name.startswith("__") and name != "_" and name not in OF_PYTHON


def _is_self(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id == "super"
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def files() -> Iterator[tuple[str, Path]]:
    """All modules of the packages: their names, and where they are."""
    for package, folder in PACKAGES.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = (package, *path.relative_to(ROOT / folder).with_suffix("").parts)
            yield ".".join(parts).removesuffix(".__init__"), path


class Source(NamedTuple):
    """A file, as all libraries are looked for in it: to go through all its nodes takes long."""

    nodes: Sequence[tuple[ast.AST, str | None]]
    """Those that may use a name, each with the class around it; of a class itself that one."""
    classes: Sequence[tuple[str, frozenset[str]]]
    """The classes, each with what it gives names to."""


@cache
def _source(path: Path) -> Source:
    nodes = [*_nodes(ast.parse(path.read_text("utf-8")), None)]
    return Source(
        [(node, cls) for node, cls in nodes if isinstance(node, _USERS)],
        [(node.name, frozenset(_given(node))) for node, _cls in nodes if isinstance(node, ast.ClassDef)],
    )


_USERS = (ast.ClassDef, ast.Attribute, ast.ImportFrom, ast.Import, ast.Call)


def _nodes(node: ast.AST, cls: str | None) -> Iterator[tuple[ast.AST, str | None]]:
    """All nodes below one, each with the class around it; of a class itself that one."""
    for child in ast.iter_child_nodes(node):
        here = child.name if isinstance(child, ast.ClassDef) else cls
        yield child, here
        yield from _nodes(child, here)


@cache
def _our_classes() -> Mapping[str, Mapping[str, type]]:
    """The classes of each module that can be imported here."""
    classes: dict[str, Mapping[str, type]] = {}
    for name, _ in files():
        if not name.startswith(
            "kk_learn"
        ):  # needs packages that may not be there, and none of these libraries
            found = vars(import_module(name)).values()
            classes[name] = {
                cls.__name__: cls for cls in found if isinstance(cls, type) and cls.__module__ == name
            }
    return classes


@cache
def _made_with() -> Mapping[type, list[type]]:
    """Each class that one of ours is made with, itself included, with all of ours that are."""
    users: dict[type, list[type]] = {}
    for ours in (cls for some in _our_classes().values() for cls in some.values()):
        for base in ours.__mro__:
            users.setdefault(base, []).append(ours)
    return users


class Library:
    """A library, by the name of its package."""

    def __init__(self, package: str) -> None:
        self.package = package
        self._names = frozenset(self._all_names())

    def _all_names(self) -> Iterator[str]:
        init = sys.modules.get(self.package) or import_module(self.package)
        assert init.__file__ is not None
        for path in Path(init.__file__).parent.rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    yield node.name
                elif isinstance(node, ast.Attribute):
                    yield node.attr
                elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    yield node.id

    def touches(self) -> list[Touch]:
        """Where our packages use its private names."""
        return [touch for name, path in files() for touch in self.touches_in(name, path)]

    def touches_in(self, module: str, path: Path) -> Iterator[Touch]:
        """Those in one file."""
        source, classes = _source(path), _our_classes().get(module, {})
        own = {
            name
            for cls, given in source.classes
            for name in given
            if name not in self._inherited(classes.get(cls))
        }
        file = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
        for node, cls in source.nodes:
            inherited = None if cls is None else self._inherited(classes.get(cls))
            for name, owners in self._used(node, inherited, own):
                yield Touch(file, getattr(node, "lineno", 0), name, frozenset(owners))

    @cache  # noqa: B019 - there are four of them
    def _inherited(self, cls: type | None) -> Mapping[str, set[str]]:
        """The private names that a class, or one made with it, has from the library; with their owners."""
        found: dict[str, set[str]] = {}
        if cls is not None:
            users = _made_with().get(cls, ())
            for base in {base for user in users for base in user.__mro__ if self._has(base.__module__)}:
                for name in members(base):
                    found.setdefault(name, set()).add(f"{base.__module__}.{base.__name__}")
        return found

    def _has(self, module: str) -> bool:
        return module.split(".")[0] == self.package

    def _used(
        self, node: ast.AST, inherited: Mapping[str, set[str]] | None, own: set[str]
    ) -> Iterator[tuple[str, set[str]]]:
        if isinstance(node, ast.ClassDef):
            assert inherited is not None, "the class's own"
            yield from ((name, inherited[name]) for name in _defined(node) if name in inherited)
        elif isinstance(node, ast.Attribute):
            # asked of few nodes: to unparse all of them takes longer than all the rest
            if isinstance(node.ctx, ast.Store) and self._has(whole := ast.unparse(node.value)):  # a patch
                yield node.attr, {whole}
            elif is_private(node.attr):
                if _is_self(node.value) and inherited is not None:
                    if node.attr in inherited:
                        yield node.attr, inherited[node.attr]
                elif node.attr in self._names and node.attr not in own and not _is_module(node.value):
                    yield node.attr, set()
        elif isinstance(node, ast.ImportFrom) and node.module and self._has(node.module):
            for alias in node.names:
                if any(map(is_private, (*node.module.split("."), alias.name))):
                    yield alias.name, {node.module}
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if self._has(alias.name) and any(map(is_private, alias.name.split("."))):
                    yield alias.name.rpartition(".")[2], {alias.name.rpartition(".")[0]}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _BY_NAME:
            name = node.args[1]
            if isinstance(name, ast.Constant) and is_private(str(name.value)) and name.value in self._names:
                yield str(name.value), set()


def _is_module(node: ast.expr) -> bool:
    return ast.unparse(node) in sys.modules


def _defined(node: ast.ClassDef) -> Iterator[str]:
    """What a class body gives names to."""
    for part in node.body:
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            yield part.name
        elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            yield part.target.id
        elif isinstance(part, ast.Assign):
            yield from (target.id for target in part.targets if isinstance(target, ast.Name))


def _given(node: ast.ClassDef) -> Iterator[str]:
    """What a class gives names to, its methods included."""
    yield from _defined(node)
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store) and _is_self(part.value):
            yield part.attr
