"""Sealed bids of one card each: nothing but a single choice of all at the same moment."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from kk_core.config import version
from kk_core.errors import BadData
from kk_core.text import text
from kk_core.types import Tree
from tests.core.contract.outside.sealed.game import Sealed

RULES: Final = 1
DATA: Final[Tree] = {"hand": 1}


class OneBid(Sealed):
    """Everybody has one card, and lays it."""

    meta = replace(Sealed.meta, id="one_bid", name=text("One bid"))
    rules_data: Tree = DATA
    rules_version = version(RULES, rules_data)
    hand = 1


def create(source: object = None) -> OneBid:
    return OneBid()


def restore(rules_data: Tree) -> OneBid:
    if rules_data != OneBid.rules_data:
        raise BadData("rules_data", "$", text("These are not the rules."))
    return OneBid()
