"""Philox: published answers, and tiers that agree; tests/conformance compares with TensorFlow."""

import numpy as np
import pytest

from minitf.core.kernels.philox import scrambled
from tests.compiled import load_compiled

load_compiled()

ALL = (1 << 64) - 1
# From the known answers of Random123, the library of the paper's authors: key, counter, words.
KNOWN = [
    ((0, 0), 0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    (
        (0xFFFFFFFF, 0xFFFFFFFF),
        ALL << 64 | ALL,
        (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
    ),
]


@pytest.mark.parametrize("tier", sorted(scrambled.tiers))
@pytest.mark.parametrize(("key", "counter", "words"), KNOWN)
def test_known_answers(key: tuple[int, int], counter: int, words: tuple, tier: str) -> None:
    given = (np,) if tier == "numpy" else ()
    found = scrambled.tiers[tier](*given, np.zeros(1, np.uint64), counter, key)
    assert tuple(found[0]) == words


@pytest.mark.parametrize("counter", [0, ALL - 3, (7 << 64) + ALL - 5000, ALL << 64])
@pytest.mark.parametrize("count", [0, 1, 5, 9000])
def test_the_tiers_agree(count: int, counter: int) -> None:
    offsets = np.arange(count, dtype=np.uint64) * np.uint64(3)
    results = [scrambled.tiers["numpy"](np, offsets, counter, (5, 6))]
    results += [run(offsets, counter, (5, 6)) for n, run in scrambled.tiers.items() if n != "numpy"]
    for each in results:
        assert each.shape == (count, 4)
        np.testing.assert_array_equal(each, results[0])


def test_a_place_can_be_reached_in_one_step() -> None:
    whole = scrambled(np, np.arange(100, dtype=np.uint64), ALL - 50, (1, 2))
    for place in (0, 50, 51, 99):
        part = scrambled(np, np.zeros(1, np.uint64), ALL - 50 + place, (1, 2))
        np.testing.assert_array_equal(part[0], whole[place])
