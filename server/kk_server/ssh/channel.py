"""One SSH channel: what its client asks for, and the bytes of the session that this becomes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import asyncssh

from kk_server.frontend.channel import CHANNEL, CONNECTION, ChannelWriter
from kk_server.frontend.session import COMMAND, ChannelRequest, ClientSession, SessionHost
from kk_server.gateway import PLAIN, SFTP, SUBSYSTEM, Caller


class SshChannel(asyncssh.SSHServerSession[bytes]):
    """One channel, and the session over it once the client has said what it is for."""

    def __init__(self, host: SessionHost, caller: Caller, on_end: Callable[[SshChannel], None]) -> None:
        self.session: ClientSession | None = None
        self._host = host
        self._caller = caller
        self._on_end = on_end
        self._request = ChannelRequest()
        self._writer: ChannelWriter
        self._channel: asyncssh.SSHServerChannel[bytes]

    # -- what the client asks for ----------------------------------------------------------------------------

    def connection_made(self, chan: asyncssh.SSHServerChannel[bytes]) -> None:
        """Begin with an open channel."""
        self._channel = chan
        limits = self._host.limits
        # from here on `pause_writing` means that the reader is slow
        chan.set_write_buffer_limits(high=limits.queued_bytes)
        self._writer = ChannelWriter(self, limits.patience)

    def pty_requested(self, term_type: str, term_size: tuple[int, int, int, int], _modes: Any) -> bool:
        """Note the terminal."""
        self._request = replace(self._request, term=term_type, size=term_size[:2])
        return True

    def shell_requested(self) -> bool:
        """Accept: a shell is the game."""
        return True

    def exec_requested(self, command: str) -> bool:
        """Accept a command."""
        purpose = PLAIN if command.split() == [PLAIN] else COMMAND
        self._request = replace(self._request, purpose=purpose, command=command)
        return True

    def subsystem_requested(self, subsystem: str) -> bool:
        """Accept a known subsystem."""
        self._request = replace(self._request, purpose=subsystem)
        return subsystem in (SUBSYSTEM, SFTP)

    def session_started(self) -> None:
        """Start serving."""
        request = replace(self._request, environment=self._channel.get_environment())
        self.session = ClientSession(
            self._host, self._caller, self._writer, request, lambda: self._on_end(self)
        )

    # -- what happens on the channel -------------------------------------------------------------------------

    def data_received(self, data: bytes, _datatype: int | None) -> None:
        """Pass bytes to the session."""
        if self.session is not None:
            self.session.feed(data)

    def eof_received(self) -> bool:
        """Note the end of input."""
        if self.session is not None:
            self.session.end_input()
        # True, so that asyncssh keeps the channel open for output still to be sent
        return True

    def terminal_size_changed(self, width: int, height: int, *_pixels: int) -> None:
        """Handle a new window size."""
        if self.session is None:
            self._request = replace(self._request, size=(width, height))
        else:
            self.session.resize(width, height)

    def pause_writing(self) -> None:
        """Note that the channel's window is full."""
        self._writer.set_paused(CHANNEL, True)

    def resume_writing(self) -> None:
        """Note that the channel's window has room again."""
        self._writer.set_paused(CHANNEL, False)

    def set_paused(self, paused: bool) -> None:
        """Note that the connection's socket is full, or no longer is."""
        self._writer.set_paused(CONNECTION, paused)

    def connection_lost(self, _error: Exception | None) -> None:
        """Clean up."""
        self._writer.close()
        if self.session is not None:
            self.session.leave()

    # -- what the session does with it -----------------------------------------------------------------------

    @property
    def queued(self) -> int:
        """Number of bytes for which the channel's window has no room yet."""
        return self._channel.get_write_buffer_size()

    @property
    def socket(self) -> Any:
        """The connection's socket."""
        return self._channel.get_extra_info("socket")

    def write(self, data: bytes) -> None:
        """Send bytes."""
        self._channel.write(data)

    def write_error(self, data: bytes) -> None:
        """Send bytes to the client's standard error."""
        self._channel.write_stderr(data)

    def note_place(self, place: str) -> None:
        """Do nothing: whoever calls `ssh` again begins anew."""

    def note_typing(self, on: bool) -> None:
        """Do nothing: a terminal has its keyboard."""

    def pause_reading(self) -> None:
        """Close the channel's window."""
        self._channel.pause_reading()

    def resume_reading(self) -> None:
        """Open the channel's window."""
        self._channel.resume_reading()

    def is_closing(self) -> bool:
        """Return whether nothing more can be sent."""
        return self._channel.is_closing()

    def exit(self, status: int, _reason: str = "") -> None:
        """Close the channel with an exit status."""
        self._channel.exit(status)

    def abort(self) -> None:
        """Drop the connection, with all its channels."""
        self._channel.get_connection().abort()
