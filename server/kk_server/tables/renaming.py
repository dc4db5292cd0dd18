"""The name that stands where an erased account's stood: on seats, in the lobby, in what is told of people."""

from __future__ import annotations

from msgspec.structs import replace

from kk_core.text import Text
from kk_server.accounts.names import distinct
from kk_server.storage.entries import (
    Created,
    Ended,
    Entry,
    HandedOn,
    Invited,
    Reopened,
    Seated,
    SeatHolder,
    Started,
)
from kk_server.storage.summaries import Summary
from kk_server.tables.chat import ChatState
from kk_server.tables.transient import TransientState


class Renaming:
    """One account's new name in everything that mentions it."""

    def __init__(self, account: str, alias: str) -> None:
        self.account = account
        self.alias = alias

    def user(self, user: str) -> str:
        """Return a user, renamed if it is the account."""
        return self.alias if user == self.account else user

    def seats(self, holders: tuple[SeatHolder, ...]) -> tuple[SeatHolder, ...]:
        """Return the holders of seats."""
        if all(holder.owner != self.account for holder in holders):
            return holders
        names = [holder.name for holder in holders if holder.owner != self.account]
        renamed = []
        for holder in holders:
            if holder.owner == self.account:
                name = distinct(self.alias, names)
                names.append(name)
                holder = replace(holder, owner=self.alias, name=name)
            renamed.append(holder)
        return tuple(renamed)

    def created(self, entry: Created) -> Created:
        """Return how a table was opened; its title was the account's choice."""
        if entry.host != self.account:
            return entry
        return replace(entry, host=self.alias, title=self.alias)

    def entry(self, entry: Entry) -> Entry:
        """Return an entry of a log."""
        match entry:
            case Created():
                return self.created(entry)
            case HandedOn(owner):
                return HandedOn(self.user(owner))
            case Invited(user):
                return Invited(self.user(user))
            case Seated() | Started() | Reopened():
                return replace(entry, seats=self.seats(entry.seats))
            case _:
                return entry

    def ended(self, ended: Ended) -> Ended:
        """Return a result."""
        return replace(ended, seats=self.seats(ended.seats))

    def summary(self, summary: Summary) -> Summary:
        """Return the summary of a table."""
        return replace(
            summary, created=self.created(summary.created), owner=self.user(summary.owner),
            seats=self.seats(summary.seats), invited=tuple(sorted(map(self.user, summary.invited))),
        )  # fmt: skip

    def sentence(self, sentence: Text) -> Text:
        """Return a sentence about people."""
        return replace(sentence, args=tuple((name, self._value(value)) for name, value in sentence.args))

    def _value(self, value: int | str | Text) -> int | str | Text:
        return (
            self.sentence(value)
            if isinstance(value, Text)
            else self.alias
            if value == self.account
            else value
        )

    def chat(self, chat: ChatState) -> ChatState:
        """Return a chat without what the account has said."""
        kept = []
        for said in chat.said:
            if said.line.user == self.account:
                continue
            words = said.line.words
            if isinstance(words, Text):
                said = replace(said, line=replace(said.line, words=self.sentence(words)))
            kept.append(said)
        return replace(chat, said=tuple(kept))

    def transient(self, state: TransientState) -> TransientState:
        """Return what belongs to a table and is not in its log; a proposal that asked the account ends."""
        proposal = state.proposal
        if proposal is not None and self.account in (proposal.user, *proposal.agreed, *proposal.waits):
            proposal = None
        added = {user: drawn for user, drawn in state.added.items() if user != self.account}
        return replace(state, chat=self.chat(state.chat), added=added, proposal=proposal)
