"""Trees of wire primitives: packing them as msgpack, which only this module uses, and patches between them.

Trees contain no maps, so a map in a patch can only mean "edit". Edits apply to lists and bytes alike: integer
keys are positions, each with the patch of that element (of bytes: the new value); `GROW` has elements added
at the end, `CUT` a new, shorter length. Anything but a map replaces the old value.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Final

import msgpack
import msgspec
from msgspec.msgpack import encode

from kk_core.errors import KkError, OutOfStep
from kk_core.text import text
from kk_core.types import Tree


class BadFrame(KkError):
    """Bytes that are not a message of the protocol; the connection has to end."""


def pack(value: object) -> bytes:
    """Pack a tree, or a patch, as msgpack."""
    packed: bytes = msgpack.packb(value)
    return packed


def unpack(data: bytes) -> Any:
    """Unpack what `pack` packed. Raises `BadFrame` for anything that is not exactly one msgpack value."""
    try:
        # patches have integer keys, which msgpack refuses by default
        return msgpack.unpackb(data, strict_map_key=False)
    except (ValueError, TypeError, msgpack.exceptions.UnpackException, RecursionError) as error:
        raise BadFrame(text("Not msgpack: {reason}", reason=type(error).__name__)) from None


def fingerprint(tree: Tree) -> bytes:
    """Return four bytes that differ between versions of a tree."""
    return fingerprint_of(pack(tree))


def fingerprint_of(packed: bytes) -> bytes:
    """Return the fingerprint of a packed tree."""
    # short, since every delta carries it and it has to catch mistakes, not forgery
    return blake2b(packed, digest_size=4).digest()


def to_tree(value: object) -> Tree:
    """Convert structs and tuples to wire primitives: lists, since `diff` looks into lists only."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(value))


GROW: Final = -1
CUT: Final = -2

EMPTY: Final[dict[int, Tree]] = {}
"""The patch that changes nothing."""


def diff(old: Tree, new: Tree) -> Tree:
    """Return the patch that turns `old` into `new`."""
    if old is new:
        return EMPTY
    if isinstance(old, list) and isinstance(new, list):
        return _diff_lists(old, new)
    if isinstance(old, bytes) and isinstance(new, bytes):
        return _diff_bytes(old, new)
    return EMPTY if _same(old, new) else new


def _same(old: Tree, new: Tree) -> bool:
    # 1 == True and 1 == 1.0 in Python, but not on the wire
    return type(old) is type(new) and bool(old == new)


def _diff_lists(old: list[Tree], new: list[Tree]) -> Tree:
    edits: dict[int, Tree] = {}
    changed = 0
    for i, (a, b) in enumerate(zip(old, new, strict=False)):
        if a is b or (type(a) is type(b) and a == b and (type(a) is not list or encode(a) == encode(b))):
            continue  # the usual case; encoded, since [1] == [True] in Python, but not on the wire
        patch = diff(a, b)
        if isinstance(patch, dict):
            if not patch:
                continue
        else:
            changed += 1
        edits[i] = patch
    # if most elements are replaced, the list itself is shorter than the edits
    if changed > 2 and 2 * changed > len(new):
        return new
    if len(new) > len(old):
        edits[GROW] = new[len(old) :]
    elif len(new) < len(old):
        # an empty list is shorter than a cut
        if not new:
            return new
        edits[CUT] = len(new)
    return edits


def _diff_bytes(old: bytes, new: bytes) -> Tree:
    edits: dict[int, Tree] = {i: b for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b}
    if len(new) > len(old):
        edits[GROW] = new[len(old) :]
    elif len(new) < len(old):
        edits[CUT] = len(new)
    # an edit takes about three bytes, a replacement one per element
    return edits if 3 * len(edits) <= len(new) or old == new else new


def patch(old: Tree, change: Tree) -> Tree:
    """Return `old` with a patch applied, leaving `old` unchanged. Raises `OutOfStep` if it does not fit."""
    if not isinstance(change, dict):
        return change
    if not change:
        # the same object, so that readers can tell by identity that nothing has changed
        return old
    if not isinstance(old, (list, bytes)):
        raise OutOfStep(text("A change does not fit: there is nothing to edit."))
    try:
        return _edited(old, change)
    except (TypeError, ValueError, IndexError):
        raise OutOfStep(text("A change does not fit: it has another shape.")) from None


def _edited(old: list[Tree] | bytes, change: dict[int, Tree]) -> Tree:
    new: list[Tree] | bytearray = list(old) if isinstance(old, list) else bytearray(old)
    for key, value in change.items():
        if key == CUT and 0 <= value <= len(old):
            del new[value:]
        elif key == GROW:
            new.extend(value)
        elif isinstance(key, int) and 0 <= key < len(old):
            new[key] = patch(old[key], value)
        else:
            raise OutOfStep(text("A change does not fit: there is no place {key}.", key=repr(key)))
    return new if isinstance(new, list) else bytes(new)
