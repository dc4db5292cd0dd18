"""The SSH keys that somebody shows to servers."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from kk_tui.client.own_keys import NoKey, made_key


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path / "kk" / "keys"


def public(pairs: list[asyncssh.SSHKeyPair]) -> list[bytes]:
    return [pair.public_data for pair in pairs]


def interrupt(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """Something happens once between the look for a key and the making of one."""
    generate = asyncssh.generate_private_key

    def generated(*args: Any, **more: Any) -> asyncssh.SSHKey:
        monkeypatch.setattr(asyncssh, "generate_private_key", generate)
        happens()
        return generate(*args, **more)

    monkeypatch.setattr(asyncssh, "generate_private_key", generated)


def test_a_key_is_made_once_and_only_its_owner_may_read_it(folder: Path) -> None:
    first = public(made_key("robot"))
    assert public(made_key("robot")) == first
    assert (folder / "robot").stat().st_mode & 0o777 == 0o600
    assert [file.name for file in folder.iterdir()] == ["robot"]


def test_two_programs_that_make_a_key_at_the_same_moment_show_the_same_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others: list[list[bytes]] = []
    interrupt(monkeypatch, lambda: others.append(public(made_key("robot"))))
    own = public(made_key("robot"))
    assert [own] == others
    assert [file.name for file in folder.iterdir()] == ["robot"]


def test_a_key_is_made_where_a_file_cannot_have_two_names(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    first = public(made_key("robot"))
    assert public(made_key("robot")) == first
    assert [file.name for file in folder.iterdir()] == ["robot"]


def test_a_damaged_key_is_named_and_left_as_it_is(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "robot").write_text("no key")
    with pytest.raises(NoKey, match="robot isn't a usable key"):
        made_key("robot")
    assert (folder / "robot").read_text() == "no key"
