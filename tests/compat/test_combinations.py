"""Tests that run once for each combination: `tensorflow.python.distribute.combinations`."""

import unittest

import pytest

from minitf.compat.testing import combinations
from minitf.compat.testing.test_case import TestCase
from minitf.core.graph import stacks

pytest.importorskip("absl.testing.parameterized", reason="tests with parameters need absl-py")


def test_a_method_becomes_a_test_for_each_combination() -> None:
    from absl.testing import parameterized

    seen = []

    class Some(TestCase, parameterized.TestCase):
        @combinations.generate(
            combinations.times(
                combinations.combine(mode=["graph", "eager"]),
                combinations.combine(
                    distribution=[
                        combinations.mirrored_strategy_with_one_cpu,
                        combinations.tpu_strategy,
                    ]
                ),
            )
        )
        def testX(self, distribution):
            seen.append((stacks.executing_eagerly(), distribution.num_replicas_in_sync))

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Some).run(result)
    assert not result.errors and not result.failures
    assert sum("a device" in why for _, why in result.skipped) == 2
    assert sorted(seen) == [(False, 1), (True, 1)]
