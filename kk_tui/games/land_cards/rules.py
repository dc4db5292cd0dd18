"""The rules and rulings of the card game in short."""

from __future__ import annotations

from typing import Final

from kk_core.text import Text, text

RULES: Final[tuple[Text, ...]] = (
    text("# The aim"),
    text(
        "Collect land cards of nine countries from four rows. Cards, the symbols on them, ships and "
        "carriages give points once the last card is taken. Most points win."
    ),
    text("# Taking cards"),
    text(
        "In your turn take one card or more from the left or right ends of the rows. All must be of one "
        "country, and together they may show at most 2 circle symbols; cards without a symbol cost nothing."
    ),
    text(
        "The next card of a row may be taken as soon as it is uncovered. A choice of the table allows only "
        "cards that lay at an end when the turn began."
    ),
    text(
        "Who can take no card skips the whole turn. Who holds “Take back a stone”, and could take a card "
        "with it, chooses between playing it and skipping."
    ),
    text("# Stones"),
    text(
        "After taking, you may place one of your three stones on any card in the rows without a stone. With "
        "3 players all three may lie on cards, with 4 or 5 players two. Only when no more may be placed, you"
        " may move one instead."
    ),
    text(
        "A card under your own stone: take it, and the stone comes back to you. A card under an opponent's "
        "stone: he gets it back, and you give up one of yours, from hand or from a card of your choice. It "
        "leaves the game. Without a stone you cannot take such a card; if only such cards are left and you "
        "have a stone, you must."
    ),
    text("# Law cards"),
    text(
        "Some cards lie under a law card, face down. Who takes the land card gets the law, and nobody else "
        "sees it until it is played or the match ends. There are two of each kind. Play it in your own turn "
        "until your stone is placed, in the turn you got it, too; but not while you have a stone to give up."
    ),
    text(
        "Take back a stone: one of your stones returns from out of the game. 3 symbols: up to 3 circle "
        "symbols in this turn; a second one adds nothing. Different colours: cards of different countries in"
        " this turn. These may be combined. -2 points: cannot be played, and costs its holder 2 points at "
        "the end."
    ),
    text("A law that would change nothing cannot be played."),
    text("# Scoring"),
    text(
        "Land, for each country: most cards give as many points as the country has cards. Second most give "
        "as many as the first has cards, third most as many as the second has, and so on. Who ties gets the "
        "same; who has none gets nothing."
    ),
    text(
        "Symbols, for each country: the most of any one circle symbol gives a point for each of them. All "
        "who tie for it get them, but for one symbol only."
    ),
    text("Chains: 5 ships or more give a point each; 5 carriages or more likewise."),
    text("A tie goes to the player with more land cards; after that nobody wins."),
    text(
        "The points during the match are those that everybody can count; law cards in hand come in at the "
        "end."
    ),
    text("# On the screen"),
    text(
        "Cards that can be chosen now are bright. A card shows its circle symbols, in the corner its ship "
        "or carriage, its country, and beside it, where there is room, how many cards the country has. The "
        "lines under the rows say it in words, for the card under the cursor or the mouse."
    ),
    text(
        "K is a cross, F a fan, L a lion, A an eagle, T a tower. A stone shows the letter and the shape of "
        "its owner. A frame's corners mark what has happened since your last turn."
    ),
    text(
        "Beside the names: stones in hand are full, those laid on cards are hollow, a × is one out of the "
        "game; § counts law cards in hand. c shows who has how many cards of each country, and after the "
        "stroke how often the symbol that is there most."
    ),
    text(
        "Enter or a click takes, places or gives up. To move a stone choose the stone, then the card; Esc "
        "lets go of it. e ends taking, p leaves the stones or skips, h gives up a stone in hand, 1 to 3 play"
        " your law cards."
    ),
)
