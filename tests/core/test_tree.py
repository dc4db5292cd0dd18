"""A delta turns one tree into another."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kk_core.errors import OutOfStep
from kk_core.tree import EMPTY, diff, pack, patch, unpack

leaves = (
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=4) | st.binary(max_size=4)
)
trees = st.recursive(leaves, lambda inner: st.lists(inner, max_size=6), max_leaves=30)


@given(trees, trees)
def test_the_delta_between_two_trees_applied_to_the_old_gives_the_new_over_the_wire(
    old: object, new: object
) -> None:
    change = unpack(pack(diff(old, new)))
    assert pack(patch(old, change)) == pack(new)


@pytest.mark.parametrize(("old", "new"), [(1, True), (True, 1), (0, False), (False, 0), (1, 1.0), (0.0, 0)])
def test_what_is_equal_in_python_alone_is_a_change(old: object, new: object) -> None:
    for before, after in ((old, new), ([old], [new]), ([7, [old]], [7, [new]])):
        assert pack(patch(before, unpack(pack(diff(before, after))))) == pack(after)


@given(trees)
def test_the_delta_between_equal_trees_is_the_empty_one(tree: object) -> None:
    assert diff(tree, unpack(pack(tree))) == EMPTY


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_bytes_are_edited_in_place(old: bytes, new: bytes) -> None:
    assert patch(old, unpack(pack(diff(old, new)))) == new


@given(trees, st.dictionaries(st.integers(-3, 4), trees, max_size=3))
def test_a_patch_that_does_not_fit_is_refused_and_never_crashes(old: object, change: object) -> None:
    with suppress(OutOfStep):
        patch(old, change)


def test_a_step_of_a_long_list_costs_a_few_bytes() -> None:
    old = list(range(1000))
    new = [*old[:500], 7, *old[501:], 1000]
    assert len(pack(diff(old, new))) < 12


def test_a_changed_byte_of_many_costs_a_few_bytes() -> None:
    old = bytes(56)
    new = old[:20] + b"\x03" + old[21:]
    assert len(pack(diff(old, new))) < 5
