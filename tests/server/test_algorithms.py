"""What SSH is spoken with: what today's clients have, and nothing weak."""

from __future__ import annotations

from typing import Any

import asyncssh
import pytest
from asyncssh.connection import SSHConnection
from asyncssh.constants import MSG_IGNORE

from kk_server.serve.server import Server
from kk_server.ssh.server import ENCRYPTION, KEY_EXCHANGE, MACS
from tests.server.remote import key_of


async def connect(server: Server, **algorithms: Any) -> asyncssh.SSHClientConnection:
    return await asyncssh.connect(
        "127.0.0.1", server.port, username="anna", known_hosts=None, config=None, agent_path=None,
        client_keys=[key_of("anna")], **algorithms,
    )  # fmt: skip


@pytest.mark.parametrize(
    "weak",
    [
        {"kex_algs": ["diffie-hellman-group14-sha1", "diffie-hellman-group14-sha256", "ecdh-sha2-nistp256"]},
        {"encryption_algs": ["aes256-cbc", "3des-cbc", "arcfour"]},
        {
            "encryption_algs": ["aes256-ctr"],
            "mac_algs": ["hmac-sha1", "hmac-sha2-256"],
        },
        {"compression_algs": ["zlib", "zlib@openssh.com"]},
    ],
)
async def test_nothing_weak_is_spoken_and_nothing_compressed(server: Server, weak: dict[str, Any]) -> None:
    with pytest.raises(asyncssh.KeyExchangeFailed):
        await connect(server, **weak)


@pytest.mark.parametrize(
    "modern",
    [
        *({"kex_algs": [name]} for name in KEY_EXCHANGE),
        *({"encryption_algs": [name]} for name in ENCRYPTION),
        *({"encryption_algs": ["aes128-ctr"], "mac_algs": [name]} for name in MACS),
    ],
)
async def test_what_todays_clients_have_is_spoken(server: Server, modern: dict[str, Any]) -> None:
    connection = await connect(server, **modern)
    connection.close()


async def test_no_packet_is_sent_that_means_nothing(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    ignored: list[str] = []

    def note(connection: SSHConnection, *_packet: object) -> bool:
        ignored.append("client" if connection.is_client() else "server")
        return True

    monkeypatch.setitem(SSHConnection._packet_handlers, MSG_IGNORE, note)
    connection = await connect(server)
    assert "ssh HOST" in str((await connection.run("help")).stdout)
    connection.close()
    assert set(ignored) == {"server"}  # asyncssh's own client sends them
