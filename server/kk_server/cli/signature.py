"""The signature beside a record: whether it is valid, and whose it is."""

from __future__ import annotations

from pathlib import Path

from kk_core.text import Text, text
from kk_server.cli import Failure
from kk_server.ssh.host_keys import BadSignature, signer_of
from kk_tui.client.remote import hosts_of


def signer(file: Path, content: bytes, signature: bytes) -> Text:
    """Return a sentence about who signed a file's content. Raises `Failure`."""
    try:
        key = signer_of(content, signature)
    except BadSignature as error:
        raise Failure(text("{file}: {reason}", file=str(file), reason=error.reason)) from None
    fingerprint, hosts = key.get_fingerprint(), ", ".join(hosts_of(key))
    if hosts:
        return text("Signed by {hosts}, whose key is {key}.", hosts=hosts, key=fingerprint)
    return text("Signed with the key {key}, which no server has shown you yet.", key=fingerprint)
