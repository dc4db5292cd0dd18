"""What holds for all tests."""

from __future__ import annotations

import gc

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What is loaded by now stays to the end: who looks for garbage need not look there every time."""
    gc.collect()
    gc.freeze()
