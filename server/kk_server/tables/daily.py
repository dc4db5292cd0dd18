"""The deal of the day at a hub: each user plays it at a table of their own, alone against the same bots.

Seeds, first tries and results are kept by `accounts.daily`.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from kk_core.checks import complete_options
from kk_core.daily import PLAYER, bot_seed, signs
from kk_core.game import AnyGame
from kk_core.match import Match
from kk_core.text import Text, text
from kk_core.types import Seat
from kk_core.views import Course, DailyMark, TableLine, TableView
from kk_server.accounts.daily import SECRET_DEAL, DailyDeal, DailyResult
from kk_server.accounts.names import clean_title
from kk_server.log import get_logger
from kk_server.storage.entries import Created, Ended, Entry, Started, Undone
from kk_server.storage.summaries import FINISHED, PLAYING
from kk_server.storage.table_log import StorageFailed
from kk_server.tables.bots import BotTurn, alone_with_bots
from kk_server.tables.place import NotPossible, Viewpoint
from kk_server.tables.table import Table

_logger = get_logger()


def deal_begun(own: Iterable[TableLine], deal: DailyDeal) -> str | None:
    """Return the table of a user's unfinished try of a deal, among the tables that concern them."""
    sought = deal.day, deal.game, PLAYING
    return next((line.id for line in own if (line.daily, line.game, line.phase) == sought), None)


def deal_entries(
    user: str, own_name: str, game: AnyGame, deal: DailyDeal, rules: str, drawing: str | None, *, counts: bool
) -> list[Entry]:
    """Return the entries of a table where a user plays a deal; `rules` and `drawing` are digests."""
    holders = alone_with_bots(user, own_name, deal.seats, deal.bot, at=PLAYER)
    options = complete_options(game.meta, deal.seats, {})
    created = Created(
        clean_title("", user), user, game.meta.id, options, deal.seats, watched=False, daily=deal.day,
        counts=counts, bots=deal.version,
    )  # fmt: skip
    return [created, Started(deal.seed.hex(), game.rules_version, holders, rules, drawing=drawing)]


class DealTable(Table):
    """A table where somebody plays a deal of the day."""

    has_hints = False
    is_private = True

    @property
    def is_secret(self) -> bool:
        """True while others may still have to play this deal."""
        return self._context.daily.is_secret(self.state.created.daily)

    @property
    def is_revealed(self) -> bool:
        """True once the match and the day of its deal are both over."""
        return super().is_revealed and not self.is_secret

    @property
    def why_secret(self) -> Text:
        """Why not everybody here may see all of the match."""
        return SECRET_DEAL if self.state.phase == FINISHED else super().why_secret

    def course(self) -> Course:
        """Return the course of the match. Raises `NotPossible` before its end."""
        if self.is_secret and self.state.phase == FINISHED:  # the course reveals nothing of the deal
            return self._replay_of(self._running()).course()
        return super().course()

    def view(self, viewpoint: Viewpoint) -> TableView:
        """Return the table as one viewer may see it, with the day of its deal."""
        view, created, is_secret = super().view(viewpoint), self.state.created, self.is_secret
        match = view.match
        if match is not None:
            match = replace(match, may_undo=False)
        if match is not None and is_secret:
            match = replace(match, seed=None, host_seed=None)
        return replace(view, match=match, daily=DailyMark(created.daily, created.counts, is_secret))

    def check_company(self) -> None:
        """Refuse requests that involve other people."""
        raise NotPossible(text("This is the deal of the day, which you play alone."))

    def _undone(self, match: Match, seat: Seat) -> Undone:  # noqa: ARG002
        raise NotPossible(text("You can't take moves back in the deal of the day."))

    def _turn(self, match: Match, seat: Seat, bot: str) -> BotTurn:
        # after the same moves the bot sees the same, whichever simultaneous choice came first
        seen = match.game.observe(match.before_choice(seat), seat)
        seed = bot_seed(match.seed, seat, sum(ply.seat == seat for ply in match.plies))
        return BotTurn(seat, bot, match, seen, match.state, seed=seed, style=self._style_of(seat))

    async def count(self, ended: Ended) -> bool:
        """Store the result of a first try. Returns False if that failed."""
        holder = ended.seats[PLAYER]
        # the daily ranking is for people
        if not self.state.created.counts or holder.owner is None or holder.program:
            return True
        result = DailyResult(
            holder.owner, ended.points[PLAYER], ended.share_of_win(PLAYER), signs(self.course(), PLAYER)
        )
        try:
            await self._context.daily.finish(self.state.created.daily, ended, result)
        except StorageFailed as error:
            _logger.error("deal of the day not kept", table=ended.table, error=type(error).__name__)
            return False
        return True
