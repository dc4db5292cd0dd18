"""Compiles catalogues: as a step of a build all of them, and by hand those named on the command line."""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CatalogueHook(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles every .po file to a .mo file beside it, which becomes part of the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's form
        """Compile before the files of the build are collected."""
        for source in sorted(Path(self.root).glob("kk_tui/locale/*/LC_MESSAGES/*.po")):
            compile_catalogue(source)
        build_data["artifacts"].append("/kk_tui/locale/**/*.mo")


def compile_catalogue(source: Path) -> None:
    """Compile one file; not by pybabel, which takes "5 % of" for a placeholder."""
    made, compiled = BytesIO(), source.with_suffix(".mo")
    with source.open("rb") as written:
        write_mo(made, read_po(written))
    # whoever reads or copies an unchanged one meanwhile finds it whole
    if not compiled.exists() or compiled.read_bytes() != made.getvalue():
        compiled.write_bytes(made.getvalue())


if __name__ == "__main__":
    for name in sys.argv[1:]:
        compile_catalogue(Path(name))
