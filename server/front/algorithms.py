"""What SSH is spoken with: what OpenSSH 8.4 and later speak, and nothing that is held to be weak.

`docs/server.md` tells how to have it audited.
"""

from __future__ import annotations

from typing import Final

from asyncssh.encryption import get_encryption_algs
from asyncssh.kex import get_kex_algs


def _known(names: tuple[str, ...], known: list[bytes]) -> tuple[str, ...]:
    """Those that the libraries of this machine know."""
    return tuple(name for name in names if name.encode() in known)


KEY_EXCHANGE: Final = _known(
    ("curve25519-sha256", "curve25519-sha256@libssh.org", "mlkem768x25519-sha256"), get_kex_algs()
)
"""The client's order decides. Dropbear sends a guess along, its own first one. It takes the guess for wrong
where another one stands first here, while asyncssh takes it for right wherever it stands.
"""

ENCRYPTION: Final = _known(
    (
        "chacha20-poly1305@openssh.com",
        "aes256-gcm@openssh.com",
        "aes128-gcm@openssh.com",
        "aes256-ctr",
        "aes192-ctr",
        "aes128-ctr",
    ),
    get_encryption_algs(),
)

MACS: Final = ("hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com")

COMPRESSION: Final = ("none",)
"""A few bytes can be blown up to any number, and what is sent here is short."""
