"""The programs that hosts and guests call: `kk serve`, OpenSSH's clients, and `kk connect`."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from kk_tui.settings import AppSettings, SettingsFile
from tests.server.ports import free_port
from tests.server.remote import key_of
from tests.terminal import KK, Terminal
from tests.waiting import patience

ADDRESS: Final = "127.0.0.1"


class Host:
    """Somebody who runs a server; it is started anew on the port that it had."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.port = free_port()
        self._options = options
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Serve, and wait until people can come."""
        command = [*KK, "serve", "--port", str(self.port), "--data", str(self.folder), *self._options]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._process.stdout is not None
        assert f"port {self.port}." in self._process.stdout.readline()

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """End it by a signal."""
        assert self._process is not None
        assert self._process.stdout is not None
        self._process.send_signal(number)
        self._process.wait(patience())
        self._process.stdout.close()
        self._process = None

    @contextmanager
    def serving(self) -> Iterator[Host]:
        """Serve until the end."""
        self.start()
        try:
            yield self
        finally:
            if self._process is not None:
                self.kill(signal.SIGTERM)


class Guest:
    """Somebody with a home of his own, and with an SSH key in it, unless he has none."""

    def __init__(self, home: Path, name: str, *, has_key: bool = True) -> None:
        self.name = name
        self.home = home / name
        keys = self.home / ".ssh"
        keys.mkdir(parents=True)
        self._key = keys / "id_ed25519"
        if has_key:
            key_of(name).write_private_key(self._key)
            self._key.chmod(0o600)
        settings = SettingsFile(self.home / "kk" / "settings.json")
        settings.save(
            AppSettings(motion="off", confirm=False)
        )  # of the app at home: scorings wait for nobody
        self._terminals: list[Terminal] = []
        self.environment = {
            "TERM": "xterm-256color", "LANG": "C.UTF-8", "HOME": str(self.home), "SSH_AUTH_SOCK": "",
            "XDG_DATA_HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home), "COLORTERM": "",
        }  # fmt: skip

    def ssh(self, port: int, *words: str, user: str | None = None) -> Terminal:
        """Call `ssh -t`, with words behind the address."""
        return self._terminal(
            ["ssh", *self.options, "-t", "-p", str(port), f"{user or self.name}@{ADDRESS}", *words]
        )

    def type_ssh(self, line: str) -> Terminal:
        """Call `ssh` as somebody has been told to, word by word."""
        program, *words = line.split()
        return self._terminal([program, *self.options, "-l", self.name, *words])

    def connect(self, port: int, *words: str) -> Terminal:
        """Call `kk connect`."""
        return self._terminal([*KK, "connect", f"{self.name}@{ADDRESS}:{port}", *words])

    def asks(self, port: int, *words: str) -> bytes:
        """What `ssh HOST COMMAND` answers."""
        command = ["ssh", *self.options, "-p", str(port), f"{self.name}@{ADDRESS}", *words]
        done = subprocess.run(
            command, env={**os.environ, **self.environment}, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=patience(), check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    @property
    def options(self) -> list[str]:
        """What keeps OpenSSH from the settings and keys of this machine."""
        return [
            "-F", "/dev/null", "-i", str(self._key), "-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none",
            "-o", "StrictHostKeyChecking=no", "-o", f"UserKnownHostsFile={self.home / 'met'}",
            "-o", "LogLevel=ERROR",
        ]  # fmt: skip

    def leave(self) -> None:
        """Close all terminals, whatever runs there."""
        for terminal in self._terminals:
            terminal.close()

    def _terminal(self, command: list[str]) -> Terminal:
        terminal = Terminal(command, self.environment, (100, 30))
        self._terminals.append(terminal)
        return terminal
