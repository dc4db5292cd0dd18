"""The certificate of the page for browsers."""

from __future__ import annotations

import ssl

from kk_core.reasons import system_reason
from kk_core.text import Text, text
from kk_server.frontend.listener import CannotServe


class Certificate:
    """The certificate and key for TLS, in their files."""

    def __init__(self, cert: str, key: str) -> None:
        """Name the files; `load` reads them."""
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._files = cert, key

    def load(self) -> None:
        """Use what is in the files now for connections from now on. Raises `CannotServe`."""
        cert, key = self._files
        try:
            # a key with a passphrase would be asked for on the terminal
            self.context.load_cert_chain(cert, key, password=lambda: b"")
        except ssl.SSLError as error:
            raise _unusable(cert, key, Text(str(error.reason))) from None
        except OSError as error:
            raise _unusable(cert, key, system_reason(error)) from None


def _unusable(cert: str, key: str, reason: Text) -> CannotServe:
    return CannotServe(text("{cert} and {key} cannot be used: {reason}", cert=cert, key=key, reason=reason))
