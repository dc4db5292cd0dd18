"""The farewell to a browser that is turned away before it has asked for anything."""

from __future__ import annotations


def farewell(reason: str) -> bytes:
    """Return an answer that may be sent before any request."""
    body = f"{reason}\n".encode()
    head = (
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\nRetry-After: 60\r\n\r\n"
    )
    return head.encode() + body
