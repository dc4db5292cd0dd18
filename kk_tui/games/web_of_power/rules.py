"""The rules and rulings of the board game in short."""

from __future__ import annotations

from typing import Final

from kk_core.text import Text, text

RULES: Final[tuple[Text, ...]] = (
    text("# The aim"),
    text(
        "The orders of the 12th century spread over nine countries. You score for cloisters in countries,"
        " for advisors at allied courts, and for chains of cloisters along the roads. Everybody has 20 "
        "cloisters and 8 advisors, and three cards in hand."
    ),
    text("# A turn"),
    text(
        "Play one to three cards and place pieces, or discard one card. Then draw until you hold three "
        "cards again: from the two open cards or from the pile, card by card. Open cards are replaced at "
        "the end of the turn."
    ),
    text(
        "The 3-2-1 rule: at most three cards, at most two pieces, in one country only. Each piece takes "
        "one card that names the country, or two cards of one kind as a joker for any country, its own "
        "included."
    ),
    text(
        "In a country without any cloister only one piece may be placed in the turn, and it must be a "
        "cloister."
    ),
    text("# Cloisters and advisors"),
    text("Cloisters go on free spaces of the roads, one on each. They stay to the end."),
    text(
        "Advisors go to the crest of a country. All advisors there together are never more than the "
        "cloisters of the player who has the most there. You need no cloister of your own; a cloister "
        "placed a moment ago counts. The dots behind a shield are the places that are free now."
    ),
    text("# Scoring"),
    text(
        "When the draw pile runs out for the first time, the discards are shuffled into a new one at once, "
        "and cloisters are scored: by a choice of the table the moment the last card is taken, or when the "
        "player before the start player has finished that round."
    ),
    text(
        "When it runs out again, the round is played to its end: open cards must be drawn while there are"
        " any; they are not replaced, and you may end up with fewer than three. Then cloisters, alliances "
        "and chains are scored."
    ),
    text(
        "Cloisters: who has the most in a country gets a point for every cloister there, whosever it is. "
        "The next gets as many points as the first has cloisters, the third as many as the second has, "
        "and so on. Players who tie get the same; who has none gets nothing."
    ),
    text(
        "Alliances: the numbers 1 to 15 join two countries. Who has the most advisors in both, alone or "
        "with others, and at least one, gets a point for every advisor in the two."
    ),
    text(
        "Chains: four or more of your cloisters in one unbroken line of roads give a point each. Branches"
        " do not count, and no cloister counts twice; the best choice of lines is found for you."
    ),
    text("# The end"),
    text(
        "Most points win; after a tie, most pieces left in the supply; then the win is shared. The match "
        "also ends at once when nobody can place any piece any more, whatever cards might come."
    ),
    text("Only players place pieces; the expansion for two players is not part of this game."),
    text("# On the screen"),
    text(
        "Choose cards by 1, 2, 3 or by mouse. What they allow is lit on the map: a plus on spaces and "
        "crests. Enter continues to the map, arrows or Tab choose a place, Enter places the piece; or "
        "click it. Where a single card and a joker would both pay, m changes between them."
    ),
    text(
        "With no card chosen, Enter on a place of the map chooses the cards for it. x discards the one "
        "chosen card, e ends placing. When drawing, 4 and 5 take an open card and d the top of the pile."
    ),
    text(
        "After the interim scoring, Enter walks through it, country by country, and shows on the map what "
        "each gave; Esc goes on with the match. While others play, Tab shows the score again."
    ),
)
