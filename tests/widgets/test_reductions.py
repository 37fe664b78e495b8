"""Reductions: sums as the threads make them, all-reduce as the members do, and their pictures."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from minitf_widgets import AllReduce, DotProduct
from minitf_widgets.reductions.all_reduce import theory

import minitf as tf


def test_the_talks_dot_product_takes_256_steps_or_9():
    view = DotProduct()
    assert view.steps == {"one thread": 256, "tree": 9}
    assert view.active == [256, 128, 64, 32, 16, 8, 4, 2, 1]
    assert view.results["tree"] == pytest.approx(3289.6)
    assert view.results["exact"] == view.results["one thread"] == 3289.6000000000004


def test_partial_sums_are_real_ones_in_the_vectors_own_dtype():
    a = np.array([1e8, 1.0, -1e8, 1.0], np.float32)
    view = DotProduct(a, np.ones(4, np.float32))
    assert view.sums["running"] == [1e8, 1e8, 0.0, 1.0]
    assert view.sums["levels"] == [[1e8, 1.0, -1e8, 1.0], [1e8, -1e8], [0.0]]
    assert view.results == {"one thread": 1.0, "tree": 0.0, "exact": 2.0}
    assert view.sums["dtype"] == "float32"


def test_fewer_threads_take_more_steps_for_the_same_work():
    view = DotProduct(8, threads=4)
    assert view.active == [4, 4, 2, 1]
    assert view.sums["levels"][1] == pytest.approx([0.6, 0.8, 1.0, 1.2])
    view.threads = 1
    assert view.steps == {"one thread": 8, "tree": 8} and view.active == [1] * 8
    assert view.results["tree"] == view.results["one thread"]
    sizes = [DotProduct(threads=threads).steps["tree"] for threads in (2, 16, 64, 256)]
    assert sizes == [129, 20, 10, 9]


def test_an_odd_one_out_is_handed_on():
    view = DotProduct([1, 2, 3, 4, 5], [1, 1, 1, 1, 1])
    assert view.sums["levels"] == [[1, 2, 3, 4, 5], [3, 7, 5], [10, 5], [15]]
    assert view.active == [5, 2, 1, 1]
    assert DotProduct([2.0], [3.0]).steps == {"one thread": 1, "tree": 1}


def test_another_number_of_elements_changes_all():
    view = DotProduct()
    view.step = 200
    view.elements = 16
    assert (view.threads, view.steps["tree"], view.step) == (16, 5, 16)
    view.elements = 32
    assert view.step == 32  # the end stays the end
    given = DotProduct([1.0, 2.0], [3.0, 4.0])
    assert not given.free


@pytest.mark.parametrize(
    ("a", "b"), [([1.0, 2.0], [1.0]), ([[1.0]], [[1.0]]), ([], []), (["a"], ["b"])]
)
def test_what_are_no_vectors_is_refused(a, b):
    with pytest.raises(ValueError, match="two vectors"):
        DotProduct(a, b)


@pytest.mark.parametrize("members", [2, 3, 4, 5, 6, 7, 8, 12, 16])
@pytest.mark.parametrize("algorithm", ["ring", "tree", "naive"])
def test_a_member_sends_what_theory_says(members, algorithm):
    view = AllReduce(tf.cluster.all_reduce, members, algorithm)
    run = view.runs[algorithm]
    assert max(view.bytes_sent()) == round(theory(algorithm, members) * run["bytes"])
    assert run["parts"][-1] == [[members] * len(run["pieces"])] * members


def test_every_member_ends_with_the_sum():
    tensors = np.random.default_rng(0).normal(size=(3, 2, 3))
    view = AllReduce(tf.cluster.all_reduce, list(tensors), "ring")
    assert view.steps == {"ring": 4, "tree": 4, "naive": 2}
    last = {}
    for move in (move for step in view.runs["naive"]["steps"] for move in step):
        last[move["target"]] = move["result"]
    wanted = " ".join(f"{value:.4g}" for value in tensors.sum(0).ravel()[:3]) + " …"
    assert last == {0: [wanted], 1: [wanted], 2: [wanted]}
    assert view.runs["ring"]["bytes"] == tensors[0].nbytes


def test_lists_of_whole_and_other_numbers_go_together():
    view = AllReduce(tf.cluster.all_reduce, [[1, 2], [0.5, 0.25]])
    assert view.runs["ring"]["start"] == [["1", "2"], ["0.5", "0.25"]]
    with pytest.raises(ValueError, match="one shape and dtype"):
        AllReduce(tf.cluster.all_reduce, [np.ones(2, np.float32), np.ones(2)])


def test_what_has_no_steps_is_refused():
    with pytest.raises(TypeError, match=r"needs tf\.cluster\.all_reduce"):
        AllReduce(3)
    with pytest.raises(ValueError, match="2 to 32 members"):
        AllReduce(tf.cluster.all_reduce, 1)
    with pytest.raises(ValueError, match="ring, tree, naive"):
        AllReduce(tf.cluster.all_reduce, 3, "star")


@pytest.mark.parametrize(
    "view",
    [
        DotProduct(),
        DotProduct(3000),
        AllReduce(tf.cluster.all_reduce),
    ],
    ids=["dot", "long", "all-reduce"],
)
def test_pictures_are_svg_with_their_words(view):
    root = ElementTree.fromstring(view.to_svg())
    assert root.find("{http://www.w3.org/2000/svg}title").text
    assert "steps" in view.to_text()
