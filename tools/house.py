"""The code base in figures: `python -m tools.house [ROOT]`, for comparison with those of another checkout.

Counts in the packages that a wheel installs: modules, lines, comments, modules that only one other imports,
the longest inheritance chain, public class names used for several things, docstrings that begin like a
question, import cycles, and rooms (folders) that import each other. What is the same in every game's folder
counts as one thing. An `__init__.py` counts as a module only if it holds more than a docstring and imports;
its lines and imports are counted all the same.
"""

from __future__ import annotations

import argparse
import ast
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

_PACKAGES: Final = {
    "kk_core": "kk_core",
    "kk_tui": "kk_tui",
    "kk_learn": "kk_learn",
    "kk_server": "server/kk_server",
    "server": "server",  # these two only in old checkouts
    "config": "config",
}

_QUESTION: Final = re.compile(r"(What|Who|Whose|Whom|Whether|Which|Where|How|That|Those|When|If)\b")
_GAME: Final = re.compile(r"\bgames\.[a-z_]+\b")
_ORDERS: Final = re.compile(r"#\s*(type:|noqa|fmt:|--)")

_Definition: TypeAlias = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """A module's file and its contents."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def room(self) -> str:
        """The name of its folder."""
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]

    @property
    def is_bare_init(self) -> bool:
        """True for an `__init__.py` with nothing of its own."""
        return self.path.name == "__init__.py" and all(map(_is_passed_on, self.tree.body))

    @property
    def definitions(self) -> Iterator[_Definition]:
        """All classes and functions."""
        for node in ast.walk(self.tree):
            if isinstance(node, _Definition):
                yield node


def _is_passed_on(node: ast.stmt) -> bool:
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_docstring or isinstance(node, ast.Import | ast.ImportFrom)


def modules_of(root: Path) -> dict[str, Module]:
    """Return all modules of the packages in a checkout, by name."""
    found = {}
    for package, folder in _PACKAGES.items():
        if folder == "server" and (root / _PACKAGES["kk_server"]).is_dir():
            continue
        for path in sorted((root / folder).rglob("*.py")):
            parts = path.relative_to(root / folder).with_suffix("").parts
            name = ".".join((package, *parts)).removesuffix(".__init__")
            found[name] = Module(name, path, ast.parse(path.read_bytes()))
    return found


def imports_of(modules: Mapping[str, Module]) -> dict[str, set[str]]:
    """Return the modules that each one imports, including those for type checking or inside a function."""
    imported: dict[str, set[str]] = {name: set() for name in modules}
    for name, module in modules.items():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                whole = [f"{node.module}.{alias.name}" for alias in node.names]
                imported[name] |= {each if each in modules else node.module for each in whole}
            elif isinstance(node, ast.Import):
                imported[name] |= {alias.name for alias in node.names}
        imported[name] = (imported[name] & modules.keys()) - {name}
    return imported


def rings_of(imported: Mapping[str, set[str]]) -> list[set[str]]:
    """Return the sets of modules that can each be reached from all others of their set, largest first."""
    reached = {name: _reachable(name, imported) for name in imported}
    rings: list[set[str]] = []
    for name, there in reached.items():
        if name in there and not any(name in ring for ring in rings):
            rings.append({other for other in there if name in reached[other]})
    return sorted(rings, key=len, reverse=True)


def _reachable(start: str, imported: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    ahead = [start]
    while ahead:
        new = imported[ahead.pop()] - found
        found |= new
        ahead += new
    return found


def mutual(modules: Mapping[str, Module], imported: Mapping[str, set[str]]) -> list[tuple[str, str]]:
    """Return the pairs of rooms that import from each other."""
    pairs = {
        (modules[name].room, modules[other].room)
        for name, others in imported.items()
        for other in others
        if modules[name].room != modules[other].room
    }
    return sorted(pair for pair in pairs if pair < pair[::-1] and pair[::-1] in pairs)


def ladder(modules: Mapping[str, Module]) -> list[str]:
    """Return the longest chain of our own classes, starting at the base; only names are compared."""
    bases: dict[str, list[str]] = {}
    for module in modules.values():
        for node in module.definitions:
            if isinstance(node, ast.ClassDef):
                whole = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]
                named = [ast.unparse(base).rpartition(".")[2] for base in whole]
                bases.setdefault(node.name, []).extend(base for base in named if base != node.name)

    def up(name: str, below: frozenset[str]) -> list[str]:
        ways = [up(base, below | {base}) for base in bases[name] if base in bases and base not in below]
        return [*max(ways, key=len, default=[]), name]

    return max((up(name, frozenset((name,))) for name in bases), key=len)


def shared_names(modules: Mapping[str, Module]) -> dict[str, list[str]]:
    """Return public class names used for several things, with the modules that define them."""
    places: dict[str, list[str]] = defaultdict(list)
    for name, module in modules.items():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    return {
        name: places_of
        for name, places_of in sorted(places.items())
        if len({_GAME.sub("games.*", place) for place in places_of}) > 1
    }


def questions(modules: Mapping[str, Module]) -> int:
    """Return the number of docstrings that begin with What, Whether, Who ..."""
    told = [ast.get_docstring(node) or "" for module in modules.values() for node in module.definitions]
    return sum(_QUESTION.match(words) is not None for words in told)


def comments(modules: Mapping[str, Module]) -> int:
    """Return the number of lines with a comment for people."""
    found = 0
    for module in modules.values():
        with tokenize.open(module.path) as file:
            tokens = tokenize.generate_tokens(file.readline)
            found += sum(
                token.type == tokenize.COMMENT and not _ORDERS.match(token.string) for token in tokens
            )
    return found


def main() -> None:
    """Print the figures, and the details of those that should be small."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.house",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("root", nargs="?", type=Path, default=Path())
    modules = modules_of(parser.parse_args().root)
    imported = imports_of(modules)
    lines = sum(module.path.read_bytes().count(b"\n") for module in modules.values())
    counted = [name for name, module in modules.items() if not module.is_bare_init]
    importers = [sum(name in others for others in imported.values()) for name in counted]
    commented, longest, named = comments(modules), ladder(modules), shared_names(modules)
    rings, pairs = rings_of(imported), mutual(modules, imported)
    figures = {
        "modules": len(counted),
        "lines": lines,
        "comments, % of lines": round(100 * commented / lines, 1),
        "modules with one importer": importers.count(1),
        "longest ladder of classes": f"{len(longest)}: {' < '.join(longest)}",
        "class names of several things": f"{len(named)}: {', '.join(named)}",
        "docstrings like questions": questions(modules),
        "rings of imports": f"{len(rings)}: {', '.join(str(len(ring)) for ring in rings)}",
        "rooms that import each other": f"{len(pairs)}: {', '.join(map(' & '.join, pairs))}",
    }
    for name, figure in figures.items():
        print(f"{name:30} {figure:,}" if isinstance(figure, int) else f"{name:30} {figure}")  # noqa: T201


if __name__ == "__main__":
    main()
