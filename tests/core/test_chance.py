"""The chance stream kk-1 is what it says it is."""

from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from kk_core.chance import Chance, commitment, mix_seed

seeds = st.binary(min_size=32, max_size=32)


@given(seeds, st.integers(1, 40))
def test_the_stream_is_the_hashes_of_seed_and_counter_read_as_big_endian_words(seed: bytes, n: int) -> None:
    stream = b"".join(sha256(seed + block.to_bytes(8, "big")).digest() for block in range(n // 8 + 1))
    chance = Chance(seed)
    assert [chance.word() for _ in range(n)] == [
        int.from_bytes(stream[4 * i : 4 * i + 4], "big") for i in range(n)
    ]


@given(seeds, st.integers(0, 100), st.integers(0, 30))
def test_a_stream_goes_on_from_any_position(seed: bytes, start: int, n: int) -> None:
    first = Chance(seed)
    words = [first.word() for _ in range(start + n)]
    later = Chance(seed, start)
    assert [later.word() for _ in range(n)] == words[start:]
    assert later.position == start + n


@given(seeds, st.integers(1, 60))
def test_a_shuffle_is_fisher_yates_from_the_end(seed: bytes, n: int) -> None:
    items = list(range(n))
    Chance(seed).shuffle(items)
    draws, expected = Chance(seed), list(range(n))
    for i in reversed(range(1, n)):
        j = draws.below(i + 1)
        expected[i], expected[j] = expected[j], expected[i]
    assert items == expected


class Words(Chance):
    """A stream of chosen words."""

    def __init__(self, *words: int) -> None:
        super().__init__(bytes(32))
        self._words = iter(words)


def test_words_that_would_favour_small_numbers_are_passed_over() -> None:
    assert Words(2**32 - 1, 2**32 - 1, 5).below(3) == 2
    assert Words(2**32 - 2).below(3) == 2
    assert Words(2**32 - 1).below(2) == 1
    items, chance = ["a", "b", "c"], Words(2**32 - 1, 5, 2**32 - 1)
    chance.shuffle(items)
    assert (items, chance.position) == (["a", "b", "c"], 3)


def test_a_seed_is_mixed_in_the_order_of_seats_in_whatever_order_they_have_added_to_it() -> None:
    added = [(2, b"c" * 32), (0, b"a" * 32), (1, b"b" * 32)]
    mixed = sha256(b"h" * 32 + b"\x00" + b"a" * 32 + b"\x01" + b"b" * 32 + b"\x02" + b"c" * 32).digest()
    assert mix_seed(b"h" * 32, added) == mix_seed(b"h" * 32, sorted(added)) == mixed
    assert mix_seed(b"h" * 32, []) == b"h" * 32


def test_the_commitment_is_the_sha_256_of_the_seed() -> None:
    assert commitment(bytes(32)).hex() == "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"
