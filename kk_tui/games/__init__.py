"""The faces of the games: how each one looks and is played on the screen.

Every folder here is one game, named as in `kk_core.games`; its module `face` has a constant `FACE`. Nothing
outside such a folder knows which games there are. The modules have the same names in all games that have
them:

| module | contents |
|---|---|
| `face` | the single value that the app uses at a table |
| `board` | the widget: cursor, half-made choice, what keys and clicks mean |
| `panels` | lines beside the board, text above and below it, which keys there are |
| `picture` | the board as lines: how its parts look, and a pure function that draws them |
| `meaning` | what every sign on the board means, with this match's own figures |
| `merits` | reasons for a move besides its points, for hints |
| `plain` | the game in lines of text |
| `scoring_animation` | long special moments, step by step |
| `motion` | what moves in a step, in a few frames |
| `cover` | the picture on the first screen, and everything else shown before a table opens |
| `theme` | names of colours, signs, short names, small drawings |
| `palettes.toml` | every colour in every palette, on a dark page and on a light one |
| `art/*.txt` | hand-made drawings |

Anything else a game needs, such as a map that lays itself out, has its own modules.

Nothing here knows a rule. What is possible is in `scene.legal`; why something is not possible, the table
screen asks the engine. The table screen draws names, points and whose turn it is; a game only provides what
it adds.

Words go through `kk_core.text.text/texts` where a `Text` is returned, else through `kk_tui.i18n`. Lines are
`textual.content.Content` with theme variables, never markup:
`Content.assemble(("3", "$seat-0"), " stones")`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

from textual.content import Content
from textual.widget import Widget

from kk_core.text import Text, text
from kk_core.types import CommonObservation, Meta, Move, Seat
from kk_core.views import LogEntry
from kk_tui.cover import Cover
from kk_tui.scene import Scene
from kk_tui.scoring_animation import Step
from kk_tui.theme.glyphs import Glyphs, Pairs
from kk_tui.theme.palette import Palettes
from kk_tui.widgets.board import Board
from kk_tui.widgets.motion import MotionFrame

O = TypeVar("O", bound=CommonObservation)  # noqa: E741 - the letter that the Game protocol uses


_COLLECTIONS: Final = text("collections")
_COLLECTED: Final = text("Collections")
"""What a game's `collections` are called, in the footer and above them, unless it has its own words."""


class SheetEntry(NamedTuple):
    """A line of the score sheet under its part's heading; `code` has at most 6 columns (7 for four seats)."""

    part: Text
    name: Text
    code: Text
    adds: bool = False
    """True if it adds to the line before, which it may follow after a plus."""

    colour: str | None = None
    """Theme variable of its ground, like that of a `Race`."""

    source: tuple[Text, Text] | None = None
    """Where its points come from on the podium, if neither the line nor its part says so best.

    A name, and a code of at most 6 columns.
    """


@dataclass(frozen=True)
class Best:
    """The thing that a seat has most of: its sign's name, how often, and the style of both."""

    sign: str
    count: int
    style: str


@dataclass(frozen=True)
class Race:
    """A contest: each seat's part in it, and the points that each gets as things stand."""

    label: Text
    colour: str | None
    """Theme variable of its ground, e.g. that of a country; None if it has none."""

    counts: tuple[int, ...]
    points: tuple[int, ...]
    code: Text | None = None
    """The label if there is little room."""

    line: tuple[int, ...] = ()
    """The lines of `observation.sheet` that the points add up."""

    best: tuple[Best | None, ...] = ()
    """A second figure that counts, per seat. If any contest has this, contests are shown as a table."""

    part: Text | None = None
    """The label for all contests of its part on one line, if there is no room for each."""

    number: int | None = None
    """The number that the board has for it, which names it where even that line has too little room."""

    sign: str = ""
    """The name of a sign that replaces the label if there is little room, instead of a code."""

    why: Text | None = None
    """What gives points in it, shown below it if there is much room."""

    short: Text | None = None
    """The label if there is somewhat less room than it needs."""
    is_settled: bool = False
    """True if nobody can change it any more: it is left out first where there is no room for all."""


def no_contests(_scene: Scene[Any]) -> Sequence[Race]:
    """Return nothing, for a game without contests."""
    return ()


NO_CONTESTS: Final = text("This game has no contests.")
"""The answer where contests are asked for and there never are any."""


class Befell(NamedTuple):
    """Something that happened to a seat without a move of its own: without its subject, and as a sentence to
    the seat, of at most 60 columns.
    """

    seat: Seat
    told: Text
    to_viewer: Text


@dataclass(frozen=True)
class RevealSummary:
    """The outcome of a simultaneous choice, by seat; `since` is the ply that it was revealed with.

    `told` is in the order in which it happened, `briefly` what matters most of it, for where there is no room
    for all, `in_signs` the same for where words have none. `reached` are everybody's points after it; None if
    these are their current points.
    """

    since: int | None
    told: Mapping[Seat, Sequence[Content]]
    briefly: Mapping[Seat, Sequence[Content]]
    in_signs: Callable[[Glyphs], Mapping[Seat, Sequence[Content]]] | None = None
    reached: Sequence[int] | None = None


TellOf: TypeAlias = Callable[[Content, LogEntry], Content]
"""Gives words about a ply their meaning, for those who point at them."""


@dataclass(frozen=True, kw_only=True)
class Appearance:
    """The part of a game that lists, covers and palettes show, whether or not one of its tables is open."""

    meta: Meta
    """The game's meta, from its `model` module."""

    colours: Palettes = field(default_factory=dict)
    """Theme variables of its own, by palette; prefix them with the game."""

    glyphs: Pairs = field(default_factory=dict)
    """Signs of its own: name to (Unicode, ASCII), one column each; prefix them with the game."""

    cover: Callable[[int, int], Cover] | None = None
    """Returns the game as a small picture of some size in pixels, from 20 x 10 on, for the first screen."""

    drawn: Mapping[str, str] = field(default_factory=dict)
    """The styles of what some patterns match in the drawings of its rules, for the help."""

    scores_rarely: bool = False
    """True if only scorings change points, so that no move gains any by itself."""

    @property
    def twins(self) -> Mapping[int, str]:
        """The ASCII signs by the code points of those that they stand for, its own and the shared ones."""
        return Glyphs(ascii_only=True, more=[self.glyphs]).twins


@dataclass(frozen=True, kw_only=True)
class Face(Appearance, Generic[O]):
    """A game on the screen. All functions are pure except the two that make widgets."""

    observation: type[O]
    """The shape of its observations, from its `model` module."""

    drawing: type[Any] | None = None
    """The shape of its drawing data, from its `model` module; None for a game without any."""

    samples: Sequence[str] = ()
    """Variables of grounds that must be distinguishable, shown as samples in the settings; 9 in all games."""

    board: Callable[[Scene[O]], Board[O, Any]]
    """A new board widget, for regions of 56 x 21 cells and more.

    It gets one more column up to 120x40 if it `IS_BROAD`; regions are 70 x 27 at 100x30, 84 x 37 at 120x40,
    116 x 47 at 160x50, 144 x 57 at 200x60.
    """

    chart: Callable[[Scene[O], Glyphs], Widget] | None = None
    """The score chart of a finished match, for the result screen; may scroll if 80x24 is too small.

    None for the score sheet as it is during the match.
    """

    status: Callable[[Scene[O]], Sequence[Text]]
    """The parts of the header line: round and phase, e.g. "Round 3: taking cards"; the end may be cut."""

    explain_status: Callable[[Scene[O]], Sequence[Text]] = lambda _scene: ()
    """Explanations of the parts of `status`, with figures that do not fit there."""

    person: Callable[[Scene[O], Seat, Glyphs], Content]
    """The player's things on one line (at most 18 columns at 80x24), below the name."""

    collections: Callable[[Scene[O], Glyphs, int], Iterable[Content]]
    """The lines of the drawer "collections" in so many columns (21 at 80x24), opened with `c`.

    There are none while it is empty.
    """

    collections_label: Text = _COLLECTIONS
    """The word for these in the footer."""

    collections_title: Text = _COLLECTED
    """The heading over them."""

    sheet_label: Callable[[Scene[O], int], Text]
    """The label of a line of `observation.sheet`, in at most 21 columns."""

    sheet_entry: Callable[[Scene[O], int], SheetEntry]
    """The same for when there is less room."""

    move_words: Callable[[Scene[O], Seat, Move], Text]
    """A move of a seat, made or not, as a sentence that begins with the name: hints leave the name out."""

    describe: Callable[[Scene[O], LogEntry], Sequence[Text]]
    """The log's words for a ply: the move (which is None while secret), then its events.

    The scene is the newest one, for names and for what is on the table.
    """

    help_section: Callable[[Scene[O]], str]
    """The section of docs/rules/<game>.md that fits the moment, e.g. "taking-cards"."""

    keys: Collection[str] = ()
    """Those of `keymap.ON_BOARDS` that its board has, for the help about keys."""

    holds_secrets: Callable[[Scene[O], Seat], bool] = lambda _scene, _seat: False
    """True if a seat's view shows something that others at the same screen must not see.

    Called with any viewer's scene, even a spectator's, before the screen is handed to that seat.
    """

    last_reveal: Callable[[Scene[O]], int | None] = lambda _scene: None
    """The last ply that revealed at once what several had chosen in secret; None if there is none.

    If several people share the screen, it stays for all to see until somebody hands the screen over.
    """

    stock: Callable[[Scene[O], Seat, Glyphs], Content] = lambda _scene, _seat, _glyphs: Content()
    """The player's stock in a few columns, after the name if there is no room for `person`."""

    scored_lines: Callable[[Scene[O]], int] | None = None
    """How many of the first lines of `observation.sheet` can no longer be lost, during a match.

    None for a game that scores everything at the end, so that no points are "as things stand".
    """

    brief: Callable[[Scene[O], LogEntry, Glyphs], Content | None] = lambda _scene, _entry, _glyphs: None
    """A ply's gain in a few words without its player's name, for the news beside the board.

    Empty if a ply needs no mention; None to use the sentences of `describe`.
    """

    tight: Callable[[Scene[O], LogEntry, Glyphs], Content | None] | None = None
    """The same in signs, where words have no room; None to use `brief` there, too."""

    gathered: Callable[[Scene[O], Sequence[LogEntry], Glyphs, TellOf], Sequence[Content]] | None = None
    """What somebody did in a turn in parts for each kind of thing, where `brief` has no room, what matters
    most first; None to tell it ply by ply.
    """

    bare: Callable[[Scene[O], LogEntry, Glyphs], Content | None] | None = None
    """What of that matters most, where not even signs have room; None to cut these there."""

    log: Callable[[Scene[O], LogEntry, Glyphs], Iterable[tuple[Seat | None, Content]]] | None = None
    """What a ply led to in a few words each, with the seat that it is about, for a log of few columns.

    None where what plies led to is each about the seat that made them: `tight` or `brief` tells that.
    """

    news: Callable[[Scene[O]], RevealSummary | None] = lambda _scene: None
    """The outcome of the viewer's last choice, if all choose at once; None if plies show it."""

    counted: Sequence[Text] = ()
    """What the figures of a seat in a table of contests count, in their order, without the points."""

    line_words: Callable[[Scene[O], int], Text] | None = None
    """The words of hints for a line of the sheet, whichever scoring it counts in; None for its label."""

    has_lead: Callable[[Scene[O], int], bool] = lambda _scene, _line: True
    """True if a line of the sheet is a contest, in which it matters who has most."""

    place_words: Callable[[Scene[O], Move], Text | None] = lambda _scene, _move: None
    """The place of a move on the board where its `hint_words` do not name it."""

    hint_words: Callable[[Scene[O], Move], Text] | None = None
    """A move in the words of a hint, while its place is numbered on the board; None for `move_words`."""

    tight_hint_words: Callable[[Scene[O], Move], Text] | None = None
    """Those where its place is marked in sight and room is short; None for `hint_words`."""

    merits: Callable[[Scene[O], Move], str] = lambda _scene, _move: ""
    """What one of the viewer's moves gains, for a hint; empty if the score sheet shows it all."""

    promises: Callable[[Scene[O], Move, Move], str] = lambda _scene, _better, _other: ""
    """What one of the viewer's moves may bring later and another does not, in a sentence; mostly nothing."""

    in_vain: Callable[[Scene[O], Move], Text | None] = lambda _scene, _move: None
    """Why one of the viewer's moves would bring them nothing now, whatever it costs; mostly nothing."""

    due: Callable[[Scene[O]], str] = lambda _scene: ""
    """What is about to happen that changes what moves are worth, such as a scoring; mostly nothing."""

    clash: Callable[[Scene[O], Move], str] = lambda _scene, _move: ""
    """What happens if somebody else makes the same choice at the same moment; empty if nobody can."""

    befell: Callable[[LogEntry], Sequence[Befell]] = lambda _entry: ()
    """What happened to seats because of another's ply, such as a skipped turn, for news and prompt."""

    has_start_player: bool = True
    """True if the first seat starts, which a sign beside its name shows."""

    all_at_once: bool = False
    """True if all choose at the same moment."""

    hand: Callable[[Scene[O]], Sequence[Content]] = lambda _scene: ()
    """The viewer's secret things, one by one, each at most 18 columns wide."""

    race: Callable[[Scene[O]], Sequence[Race]] = no_contests
    """The contests in the order of the score sheet: the race panel draws them."""

    scoring_animation: Callable[[Scene[O], Scene[O]], Sequence[Step]] = lambda _before, _after: ()
    """The steps between two scenes of a match, the second later than the first; mostly none."""

    motion: Callable[[Scene[O], Scene[O], Glyphs], Sequence[MotionFrame]] = lambda *_scenes: ()
    """What moves between two scenes of a match, the second later than the first: at most three frames."""

    styles: Mapping[str, Text] = field(default_factory=dict)
    """What bots of each style like in this game (see `kk_core.bot_names.STYLES`), as a sentence about "they".

    Empty for a game whose bots have none.
    """

    announcements: Callable[[Scene[O], Scene[O]], Sequence[Text]] = lambda _before, _after: ()
    """What has begun between two such scenes that changes the match, such as the last round, in short."""

    @property
    def has_contests(self) -> bool:
        """True if the game has a `race`."""
        return self.race is not no_contests


class _Faces(Mapping[str, Face[Any]]):
    """Loads a face when it is needed, mostly when a table of the game opens: all three take 80 ms."""

    def __getitem__(self, game: str) -> Face[Any]:
        if game not in appearances():
            raise KeyError(game)
        face: Face[Any] = import_module(f"{__name__}.{game}.face").FACE
        return face

    def __iter__(self) -> Iterator[str]:
        return iter(appearances())

    def __len__(self) -> int:
        return len(appearances())


@cache
def faces() -> Mapping[str, Face[Any]]:
    """Return all faces by the identifier of their game, in the order in which lists show the games."""
    return _Faces()


@cache
def appearances() -> Mapping[str, Appearance]:
    """Return all games' appearances in the same order; a game without a cover is loaded completely."""
    names = [module.name for module in iter_modules(__path__) if module.ispkg]
    found = {name: _appearance(f"{__name__}.{name}") for name in names}
    return dict(sorted(found.items(), key=lambda item: (item[1].meta.order, item[0])))


def _appearance(folder: str) -> Appearance:
    if find_spec(f"{folder}.cover") is None:
        face: Appearance = import_module(f"{folder}.face").FACE
        return face
    known: Appearance = import_module(f"{folder}.cover").APPEARANCE
    return known
