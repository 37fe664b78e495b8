"""Tests that run in both modes, and what `tf.contrib.eager` tells of the process."""

import unittest

import minitf as tf

tfe = tf.contrib.eager


def run(case: type) -> list[str]:
    """The failures of the tests of a class, as text."""
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    return [text for _, text in (*result.failures, *result.errors)]


def test_each_test_runs_in_both_modes() -> None:
    modes = []

    @tfe.run_all_tests_in_graph_and_eager_modes
    class Modes(tf.test.TestCase):
        def test_sum(self) -> None:
            modes.append(tf.executing_eagerly())
            self.assertAllEqual(self.evaluate(tf.constant([1, 2]) + 1), [2, 3])

    assert run(Modes) == []
    assert modes == [False, True]


def test_a_failure_in_one_mode_is_a_failure() -> None:
    class Fails(tf.test.TestCase):
        @tfe.run_test_in_graph_and_eager_modes
        def test_graph_only(self) -> None:
            self.assertFalse(tf.executing_eagerly())

    assert len(run(Fails)) == 1


def test_devices_and_modes() -> None:
    assert tfe.list_devices()[0].endswith("CPU:0") and tfe.num_gpus() == 0
    assert tfe.in_graph_mode() and not tfe.in_eager_mode()
