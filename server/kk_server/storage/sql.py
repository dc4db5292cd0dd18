"""What every SQL database offers: statements with named values, several of them at once, and queries.

Statements are written once, in the SQL that all databases share; where they differ, the database puts in its
own words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

from kk_core.text import Text, text

Values: TypeAlias = Mapping[str, Any]
"""What stands for the `:names` of a statement."""


POSTGRES: Final = ("postgresql://", "postgres://")
"""How the address of a PostgreSQL database begins."""

NO_ASYNCPG: Final = text(
    "PostgreSQL needs asyncpg: install it with `{command}`.", command="pip install 'kk[cluster]'"
)
"""What is missing if `storage.postgres` cannot be imported."""


class Database(Protocol):
    """A database that keeps what it was told: when a write returns, the data are durable."""

    @property
    def fault(self) -> Text | None:
        """Why it can't be written, for the host, as far as is known; None if it can."""
        ...

    async def write(self, statement: str, values: Values) -> int:
        """Run a statement; returns the number of rows added or changed. Raises `StorageFailed`."""
        ...

    async def write_all(self, statements: Iterable[tuple[str, Values]]) -> list[int]:
        """Run several statements atomically; returns the number of rows that each added or changed.

        Raises `StorageFailed`.
        """
        ...

    async def settled(self) -> None:
        """Return once everything sent before is either stored, as far as it will be, or never will be.

        Raises `StorageFailed` while that is not known.
        """
        ...

    async def rows(self, query: str, values: Sequence[str | int] = ()) -> list[Any]:
        """Return the rows of a query, with values for its `?` in order. Raises `StorageFailed`."""
        ...

    def json_field(self, column: str, field: str) -> str:
        """Return the expression for a field, as text, of the JSON object in a column.

        It is NULL where the column has no JSON.
        """
        ...

    async def give_back(self, pages: int) -> bool:
        """Return up to `pages` free pages to the disk; True if there are more. Raises `StorageFailed`."""
        ...

    async def close(self) -> None:
        """Release what is held open."""
        ...
