"""The shapes of docs/protocol.md and docs/protocol/: `python -m tests.wire_page` writes them anew."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import cleandoc, getdoc, getsource
from pathlib import Path
from typing import Any, Final, get_args

import msgspec
from msgspec import inspect

from kk_core.protocol.messages import PHRASES, ClientMessage, Number, ServerMessage
from kk_core.types import CommonObservation
from kk_core.views import LobbyView, TableView
from kk_tui.games import faces

PAGE: Final = Path(__file__).parents[1] / "docs" / "protocol.md"
PAGES: Final = PAGE.with_suffix("")
"""The pages of the games."""

BEGIN, END = "<!-- shapes -->\n", "<!-- end of shapes -->"

_NUMBER: Final = inspect.type_info(Number)
_SIMPLE: Final = {
    inspect.AnyType: "tree", inspect.BoolType: "bool", inspect.FloatType: "float", inspect.NoneType: "nil"
}  # fmt: skip


def shapes() -> str:
    """The part of the page that follows from the code."""
    found: dict[str, type] = {}
    parts = [
        _section("What a client says", get_args(ClientMessage), found),
        _section("What a server says", get_args(ServerMessage), found),
        _section("Places", (LobbyView, TableView), found),
        _section("What a viewer knows of every game", (CommonObservation,), found),
    ]
    parts.append(_section("What stands in them", _rest(parts, found), found))
    said = [f"{n} {phrase}" for n, phrase in enumerate(PHRASES)]
    parts.append("\n".join(("The `PHRASES`:", "", *(f"- {line}" for line in said), "")))
    return "\n".join(parts)


def game_page(game_id: str) -> str:
    """The page of one game: what a viewer knows of it, and what its numbers mean."""
    face, common = faces()[game_id], dict[str, type]()
    _section(
        "",
        (*get_args(ClientMessage), *get_args(ServerMessage), LobbyView, TableView, CommonObservation),
        common,
    )
    found: dict[str, type] = {}
    observed = _section("What a viewer knows", [face.observation], found)
    rest = [kind for kind in _rest([observed], found) if _name(kind) not in common]
    parts = [
        f"# The protocol of {face.meta.name} (`{game_id}`)",
        "",
        "What is seen of this game, beside what [all games have in common](../protocol.md).",
        "",
        observed,
        *([_section("What stands in it", rest, found)] if rest else []),
        _meanings(game_id),
        _numbers(game_id),
    ]
    return "\n".join(parts).replace("\n### ", "\n## ")


def _rest(parts: list[str], found: dict[str, type]) -> list[type]:
    """All shapes that are found in those of some parts, and in each other."""
    shown = {name for part in parts for name in re.findall(r"^\| \*\*([\w.]+)\*\*", part, re.MULTILINE)}
    rest: list[type] = []
    while missing := [shape for name, shape in found.items() if name not in shown]:
        rest += missing
        shown |= {_name(shape) for shape in missing}
        _section("", missing, found)
    return sorted(rest, key=_name)


def _numbers(game_id: str) -> str:
    """The named numbers of a game: its moves, events, phases and bytes."""
    module = import_module(f"kk_core.games.{game_id}.model")
    lines = [f"### The numbers of {game_id}", "", "| name | value | |", "|---|---|---|"]
    body = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8")).body
    for node, following in zip(body, [*body[1:], ast.Pass()], strict=True):
        for name in _assigned(node):
            value = getattr(module, name)
            if name.isupper() and not name.startswith("_") and _is_plain(value):
                said = following.value.value if _is_docstring(following) else ""  # type: ignore[attr-defined]
                lines.append(f"| {name} | `{value!r}` | {' '.join(said.split())} |")
    return "\n".join((*lines, ""))


def _meanings(game_id: str) -> str:
    """What moves and events of a game mean: the number of a move, the list of an event."""
    module: Any = import_module(f"kk_core.games.{game_id}.model")
    lines = [
        f"### Moves and events of {game_id}",
        "",
        "| what | number of the move, or list | |",
        "|---|---|---|",
    ]
    # a class may have two names there
    for kind in {id(kind): kind for kind in vars(module).values()}.values():
        if isinstance(kind, type) and is_dataclass(kind) and kind.__module__ == module.__name__:
            lines.append(f"| {kind.__name__} | `{_meaning(module, kind)}` | {_words(kind)} |")
    return "\n".join((*lines, ""))


def _meaning(module: Any, kind: Any) -> str:
    names = [f"{field.name}: {_plain_type(field.type)}" for field in fields(kind)]
    events = getattr(module, "_EVENTS", ())
    if kind in events:
        return f"[{', '.join((str(events.index(kind)), *names))}]"
    made = vars(kind).get("move")
    own = [field.name for field in fields(kind)]
    if made is None or "move" in own:
        return ", ".join(own)
    (formula,) = re.findall(r"return (.*)", getsource(made.fget))
    return str(formula).replace("self.", "")


def _plain_type(annotation: Any) -> str:
    return {"bytes": "bin", "Seat": "int", "tuple[bytes, ...]": "bin, ..."}.get(
        str(annotation), str(annotation)
    )


def _assigned(node: ast.stmt) -> list[str]:
    targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
    return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]


def _is_plain(value: object) -> bool:
    return isinstance(value, int) or (
        isinstance(value, tuple) and all(isinstance(part, str | int) for part in value)
    )


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)


def _name(kind: type) -> str:
    """Shapes of a game are called by it, since all games have some of the same name."""
    games = re.match(r"kk_core\.games\.(\w+)", kind.__module__)
    return f"{games[1]}.{kind.__name__}" if games else kind.__name__


def _section(title: str, kinds: Any, found: dict[str, type]) -> str:
    lines = [f"### {title}", "", "| name | list | |", "|---|---|---|"]
    for kind in kinds:
        lines.append(f"| **{_name(kind)}** | `{_fields(kind, found)}` | {_words(kind)} |")
    return "\n".join((*lines, ""))


def _words(kind: type) -> str:
    """What is said of it."""
    return " ".join(cleandoc(getdoc(kind) or "").split()).replace("|", "\\|")


def _fields(kind: type, found: dict[str, type]) -> str:
    info: Any = inspect.type_info(kind)
    tag = [f'"{info.tag}"'] if getattr(info, "tag", None) is not None else []
    return f"[{', '.join((*tag, *_named(info, found)))}]"


def _named(info: Any, found: dict[str, type]) -> Iterator[str]:
    for field in info.fields:
        mark, default = ("", "") if field.required else ("?", f" = {_wire_text(_default(field))}")
        yield f"{field.name}{mark}: {_shape(field.type, found)}{default}"


def _default(field: Any) -> Any:
    """What a field has that is left out."""
    return field.default_factory() if field.default is msgspec.NODEFAULT else field.default


def _wire_text(value: Any) -> str:
    """A value as the page writes it."""
    match value:
        case None:
            return "nil"
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case tuple() | list():
            return f"[{', '.join(map(_wire_text, value))}]"
        case msgspec.Struct():
            return _wire_text(msgspec.structs.astuple(value))
        case _:
            return repr(value)


def _shape(info: Any, found: dict[str, type]) -> str:
    if info == _NUMBER:
        return "n"
    match info:
        case inspect.IntType():
            return "int" if info.ge is None else f"{info.ge}..{info.le}"
        case inspect.StrType():
            return "str" if info.max_length is None else f"str ≤ {info.max_length}"
        case inspect.BytesType():
            return "bin" if info.max_length is None else f"bin {info.max_length}"
        case inspect.LiteralType():
            return " or ".join(f'"{value}"' for value in sorted(map(str, info.values)))
        case inspect.UnionType():
            return " or ".join(_shape(kind, found) for kind in info.types)
        case inspect.VarTupleType() | inspect.ListType():
            return f"[{_shape(info.item_type, found)}, ...]"
        case inspect.TupleType():
            return f"[{', '.join(_shape(kind, found) for kind in info.item_types)}]"
        case inspect.DictType():
            return f"{{{_shape(info.key_type, found)}: {_shape(info.value_type, found)}}}"
        case inspect.StructType():
            found.setdefault(_name(info.cls), info.cls)
            return _name(info.cls)
        case inspect.CustomType():
            return "tree"
        case inspect.EnumType():
            return "int"
        case _:
            return _SIMPLE[type(info)]


def renewed(page: str) -> str:
    """The page with the shapes as they are."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{shapes()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    PAGES.mkdir(exist_ok=True)
    for each in faces():
        (PAGES / f"{each}.md").write_text(game_page(each), encoding="utf-8")
