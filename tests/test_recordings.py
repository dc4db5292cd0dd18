"""The recordings in docs/pictures: any terminal of their size can play them."""

from __future__ import annotations

import json
from itertools import pairwise

import pyte
import pytest

from docs.pictures.recording import COLUMNS, FOLDER, RECORDINGS, ROWS, Recording

ENDS = {"turn": "Your turn so far", "reveal": "Ku .. Ka .. King!"}


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda recording: recording.name)
def test_a_recording_shows_its_game_from_the_first_words_to_the_last_ones(recording: Recording) -> None:
    head, *lines = (FOLDER / f"{recording.name}.cast").read_text(encoding="utf-8").splitlines()
    assert json.loads(head) == {"version": 2, "width": COLUMNS, "height": ROWS, "title": recording.title}
    written = [json.loads(line) for line in lines]
    assert all(earlier[0] <= later[0] for earlier, later in pairwise(written))
    screen, seen = pyte.Screen(COLUMNS, ROWS), ""
    stream = pyte.Stream(screen)
    for _, kind, words in written:
        assert kind == "o"
        stream.feed(words)
        seen += "\n".join(screen.display)
    assert recording.begins in seen
    assert ENDS[recording.name] in seen
    assert 5 < written[-1][0] < 30
