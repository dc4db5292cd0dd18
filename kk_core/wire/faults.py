"""Why bytes of the other side are no message, in sentences for people who write programs."""

from __future__ import annotations

import re
from typing import Any, Final, get_args

from kk_core.text import Text, quoted, text

_PLACE: Final = re.compile(r"at `\$\[(\d+)\]")
"""Where msgspec tells which element of a list was at fault."""


def fault_of(value: Any, shape: Any, reason: str) -> Text:
    """What is wrong with a value that is none of the messages of a union; `reason` is what msgspec says."""
    name = value[0] if isinstance(value, list) and value else None
    if not isinstance(name, str):
        return text("Not a message of this protocol: it is no list that begins with a name.")
    fields = {message.__struct_config__.tag: message.__struct_fields__ for message in get_args(shape)}
    if name not in fields:
        return text("Not a message of this protocol: there is none of the name {name}.", name=quoted(name))
    found = _PLACE.search(reason)
    number = int(found[1]) - 1 if found else -1
    if 0 <= number < len(fields[name]):
        return text(
            "Not a message of this protocol: {name} has something else in its field {field}.",
            name=quoted(name), field=fields[name][number],
        )  # fmt: skip
    return text(
        "Not a message of this protocol: behind {name} come {fields}.",
        name=quoted(name), fields=", ".join(fields[name]),
    )  # fmt: skip
