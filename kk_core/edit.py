"""Bytes and tuples with one of their values replaced; the hot path of the rules, so plain and short."""

from __future__ import annotations

from typing import Final, TypeVar

T = TypeVar("T")

BYTE: Final = tuple(bytes((value,)) for value in range(256))
"""Every byte as bytes."""


def with_byte(values: bytes, index: int, value: int) -> bytes:
    """The bytes with another value at an index."""
    return values[:index] + BYTE[value] + values[index + 1 :]


def with_item(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    """The tuple with another value at an index."""
    items = [*values]
    items[index] = value
    return tuple(items)
