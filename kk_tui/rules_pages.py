"""The rules of the games as pages: Markdown files, read into sections, paragraphs, tables and drawings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from textual.content import Content

from kk_core.text import in_ascii

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

_HERE: Final = Path(__file__).parent
_PACKED: Final = _HERE / "rules"
FOLDER: Final = _PACKED if _PACKED.is_dir() else _HERE.parent / "docs" / "rules"
"""The folder of the rules: part of an installed package, in the docs of a source checkout."""

_STYLES: Final = {"strong": "bold", "em": "italic", "code_inline": "bold $gold"}


@dataclass(frozen=True)
class Paragraph:
    """A paragraph or an item of a list.

    In a list, `mark` stands before it ("3." or "-"; empty for a further paragraph of the same item), and
    `depth` is the number of nested lists. There is no blank line between two tight ones.
    """

    words: Content
    mark: str = ""
    depth: int = 0
    is_tight: bool = False


@dataclass(frozen=True)
class HelpTable:
    """A table as rows; the first row is the head."""

    rows: tuple[tuple[Content, ...], ...]
    depth: int = 0


@dataclass(frozen=True)
class HelpDrawing:
    """Lines of drawing characters, which are never wrapped."""

    lines: tuple[str, ...]
    depth: int = 0


Block: TypeAlias = Paragraph | HelpTable | HelpDrawing

Twins: TypeAlias = Mapping[int, str]
"""The ASCII signs of a game by the code points of those that they stand for (`Appearance.twins`)."""

Names: TypeAlias = Mapping[str, str]
"""What signs and groups of them are called in the reader's language (`PlainFace.signs`)."""


@dataclass(frozen=True, eq=False)  # compared by identity, so that its lines are cached cheaply
class Section:
    """The text under a heading; `slug` names it in every language, e.g. "taking-cards"."""

    slug: str
    title: str
    blocks: tuple[Block, ...]


def sections(
    game: str,
    languages: Iterable[str] = (),
    folder: Path = FOLDER,
    *,
    twins: Twins | None = None,
    names: Names = MappingProxyType({}),
) -> Sequence[Section]:
    """Return the rules of a game in the first of the languages that they exist in, else in English.

    There are none for a game without a file. With the ASCII `twins` of the game's signs all is in ASCII;
    signs that have `names` are spelled out, except in drawings.
    """
    written = _languages(game, folder)
    language = next((language for language in languages if language in written), "")
    pairs = None if twins is None else tuple(twins.items())
    return _read(game, language, folder, pairs, tuple(names.items()))


def parse(source: str, twins: Twins | None = None, names: Names | None = None) -> tuple[Section, ...]:
    """Return the sections of a file. Raises `ValueError` for syntax that rules may not use."""
    spelling = _Spelling(twins, names or {})
    parts: list[tuple[str, list[Block]]] = []
    for node in _parsed(source).children:
        if node.type == "heading":
            parts.append((_words(node, spelling).plain, []))
        elif parts:
            parts[-1][1].extend(_blocks(node, 0, spelling))
        else:
            raise ValueError("A file of rules begins with its title.")
    return tuple(Section(slug_of(title), title, tuple(blocks)) for title, blocks in parts)


def _parsed(source: str) -> SyntaxTreeNode:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    return SyntaxTreeNode(MarkdownIt("commonmark").enable("table").parse(source))


def slug_of(title: str) -> str:
    """Return the anchor of a heading as code forges make it, so that links in the files work there too."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


@cache
def _languages(game: str, folder: Path) -> frozenset[str]:
    return frozenset(path.parent.name for path in folder.glob(f"*/{game}.md"))


@cache
def _read(
    game: str,
    language: str,
    folder: Path,
    twins: tuple[tuple[int, str], ...] | None,
    names: tuple[tuple[str, str], ...],
) -> tuple[Section, ...]:
    path = folder / language / f"{game}.md"
    if not path.is_file():
        return ()
    found = parse(path.read_text(encoding="utf-8"), None if twins is None else dict(twins), dict(names))
    if not language:
        return found
    english = _read(game, "", folder, twins, names)
    # the program refers to sections by their English headings
    return tuple(replace(own, slug=other.slug) for own, other in zip(found, english, strict=True))


_PLAIN: Final = str.maketrans("─│┌┐└┘┬┴╲╱⌂▓█✓✗·●■▲§", "-|++++++\\/o##+x.o#^S")
"""The signs that drawings are made of, in ASCII."""


_TOLD: Final = 2
"""The columns of a table of things and their signs; a further one tells what stands for these in ASCII."""


@dataclass(frozen=True)
class _Spelling:
    """The letters and signs that a reader has."""

    twins: Twins | None
    names: Names

    def words(self, words: str) -> str:
        """Return words for the reader; named signs are spelled out, those of a card with a blank between."""
        if self.names:
            words = self._signs.sub(self._named, self._explained.sub("", words))
        return self.drawn(words)

    def drawn(self, words: str) -> str:
        """Return words or a drawing in letters that the reader has."""
        return words if self.twins is None else in_ascii(words.translate(self.twins))

    @cached_property
    def _sign(self) -> str:
        # the longest first, so that pairs are found
        return "|".join(map(re.escape, sorted(self.names, key=len, reverse=True)))

    @cached_property
    def _explained(self) -> re.Pattern[str]:
        """Matches a sign in brackets behind its name."""
        return re.compile(rf" \((?:{self._sign})\)")

    @cached_property
    def _signs(self) -> re.Pattern[str]:
        """Matches cards: groups of signs with blanks between the groups."""
        return re.compile(rf"(?:{self._sign})+(?: (?:{self._sign})+)*")

    def _named(self, cards: re.Match[str]) -> str:
        found = (re.findall(self._sign, card) for card in cards[0].split())
        return ", ".join(" ".join(self.names[sign] for sign in card) for card in found)


def _as_written(cell: SyntaxTreeNode) -> str:
    return _words(cell, _Spelling(None, {})).plain


def _blocks(node: SyntaxTreeNode, depth: int, spelling: _Spelling) -> Iterator[Block]:
    if node.type == "paragraph":
        yield Paragraph(_words(node, spelling), depth=depth, is_tight=node.hidden)
    elif node.type == "table":
        rows = [row.children for part in node.children for row in part.children]
        columns = [*zip(*rows, strict=True)]
        if spelling.twins is not None and len(columns) > _TOLD:
            columns = [column for column in columns if not all(map(_is_sign, column[1:]))]
        if spelling.names:  # a sign that is spelled out does not explain its name
            columns = [each for each in columns if not {*map(_as_written, each[1:])} <= {*spelling.names}]
        shown = ([_words(cell, spelling) for cell in column] for column in columns)
        yield HelpTable(tuple(zip(*shown, strict=True)), depth)
    elif node.type == "fence":
        drawing = node.content if spelling.twins is None else spelling.drawn(node.content.translate(_PLAIN))
        yield HelpDrawing(tuple(drawing.rstrip("\n").split("\n")), depth)
    elif node.type in ("bullet_list", "ordered_list"):
        for item in node.children:
            # as written, since Markdown itself numbers from the first item
            mark = f"{item.info}." if node.type == "ordered_list" else "-"
            yield from _item(item, mark, depth + 1, spelling)
    else:
        raise ValueError(f"Rules are not written with {node.type}.")


def _is_sign(cell: SyntaxTreeNode) -> bool:
    """Return whether a cell is a single sign."""
    words = _as_written(cell)
    return len(words) == 1 and not words.isascii()


def _item(item: SyntaxTreeNode, mark: str, depth: int, spelling: _Spelling) -> Iterator[Block]:
    for child in item.children:
        for block in _blocks(child, depth, spelling):
            if isinstance(block, Paragraph) and block.depth == depth and mark:
                # only the first paragraph of an item shows its mark
                block, mark = replace(block, mark=mark), ""
            yield block


def _words(node: SyntaxTreeNode, spelling: _Spelling) -> Content:
    parts = (part for inline in node.children for part in _parts(inline, ""))
    return Content.assemble(*((spelling.words(words), style) for words, style in parts))


def _parts(node: SyntaxTreeNode, style: str) -> Iterator[tuple[str, str]]:
    if node.type == "softbreak":
        yield " ", style
    elif node.type in ("text", "code_inline"):
        yield node.content, f"{style} {_STYLES.get(node.type, '')}".strip()
    elif node.type in ("inline", "strong", "em"):
        for child in node.children:
            yield from _parts(child, f"{style} {_STYLES.get(node.type, '')}".strip())
    else:
        raise ValueError(f"Rules are not written with {node.type}.")
