"""All-reduce, all-gather: the schedules, the engine, the operations of one session."""

import threading

import numpy as np
import pytest

import minitf as tf
from minitf.library.distribute.collectives.links import Bell, MemoryLink
from minitf.library.distribute.collectives.ops import Engine, Work, all_reduce
from minitf.library.distribute.collectives.schedules import ALGORITHMS, schedule

MEMBERS = range(1, 10)
SIZES = [(), (0,), (1,), (3,), (7, 3), (1000,)]


def _tensors(members, shape, dtype=np.int64):
    rng = np.random.default_rng([members, *shape])
    return [rng.integers(1, 9, shape).astype(dtype) for _ in range(members)]


# ---- schedules ---------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("members", MEMBERS)
def test_all_members_get_the_sum(algorithm, members):
    for shape in SIZES:
        given = _tensors(members, shape)
        done = tf.cluster.all_reduce(given, algorithm)
        for result in done.results:
            np.testing.assert_array_equal(result, sum(given))
            assert result.shape == shape


@pytest.mark.parametrize("members", MEMBERS)
def test_bytes_and_steps_are_those_of_the_theory(members):
    given = [np.ones(840 * 3)] * members  # 840 is a multiple of 1, ..., 8
    size = given[0].nbytes
    ring = tf.cluster.all_reduce(given, "ring")
    assert len(ring.steps) == 2 * (members - 1)
    assert ring.sent == [2 * (members - 1) * size // members] * members
    tree = tf.cluster.all_reduce(given, "tree")
    if members in (1, 2, 4, 8):
        assert len(tree.steps) == 2 * (members.bit_length() - 1)
        assert tree.sent == ring.sent
    naive = tf.cluster.all_reduce(given, "naive")
    assert naive.sent == [(members - 1) * size, *[size] * (members - 1)]


@pytest.mark.parametrize("algorithm", [*ALGORITHMS, "gather"])
@pytest.mark.parametrize("members", MEMBERS)
def test_a_step_uses_only_what_earlier_steps_have_brought(algorithm, members):
    plan = schedule(algorithm, members)
    for transfers in plan.steps:
        received = [(t.target, piece) for t in transfers for piece in range(t.first, t.last)]
        sent = [(t.source, piece) for t in transfers for piece in range(t.first, t.last)]
        if algorithm != "naive":  # member 0 receives from all
            assert len(set(received)) == len(received)
        assert len(set(sent)) == len(sent) or algorithm == "naive"
        assert all(t.source != t.target for t in transfers)


def test_the_steps_show_what_travelled():
    done = tf.cluster.all_reduce([[1.0, 2.0], [10.0, 20.0]])
    first, second = done.steps
    assert [(m.transfer.source, m.transfer.target, m.values.tolist()) for m in first] == [
        (0, 1, [1.0]),
        (1, 0, [20.0]),
    ]
    assert [m.result.tolist() for m in first] == [[11.0], [22.0]]
    assert [m.result.tolist() for m in second] == [[22.0], [11.0]]


def test_a_call_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match=r"one shape and dtype, got int64\[1\], int64\[2\]"):
        tf.cluster.all_reduce([np.ones(1, int), np.ones(2, int)])
    with pytest.raises(ValueError, match="no arrays"):
        tf.cluster.all_reduce([])
    with pytest.raises(ValueError, match="no algorithm 'star'"):
        tf.cluster.all_reduce([[1.0]], "star")


# ---- the engine --------------------------------------------------------------------------


def _together(members, run):
    """Runs all members at once; returns what they returned."""
    results = [None] * members

    def work(member):
        try:
            results[member] = run(member)
        except Exception as error:
            results[member] = error

    threads = [threading.Thread(target=work, args=(m,), daemon=True) for m in range(members)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    return results


def _run(plan, given, counts):
    links: dict = {}
    bells = [Bell() for _ in given]

    def member(number):
        result = np.full(counts, 77, given[0].dtype)
        value = given[number]
        if plan.pieces == len(given) and len(value) < counts:  # a gather
            place = slice(number * len(value), (number + 1) * len(value))
            result[place] = value
            value = result
        elif len(given) == 1:
            result[...] = value

        def link(other, out):
            pair = (number, other) if out else (other, number)
            found = links.setdefault(pair, MemoryLink())
            setattr(found, "writer" if out else "reader", bells[number])
            return found

        work = Work(value, result, {}, lambda *a: AssertionError(a), lambda: None, 0, "")
        Engine(plan, number, work, link, bells[number]).run()
        return result

    return _together(len(given), member)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("members", range(2, 10))
@pytest.mark.parametrize("count", [0, 1, 5, 300_001])
def test_the_engine_sums(algorithm, members, count):
    given = _tensors(members, (count,), np.float32)
    for result in _run(schedule(algorithm, members), given, count):
        np.testing.assert_array_equal(result, sum(given))


@pytest.mark.parametrize("members", range(2, 10))
def test_the_engine_gathers(members):
    given = _tensors(members, (11,))
    for result in _run(schedule("gather", members), given, 11 * members):
        np.testing.assert_array_equal(result, np.concatenate(given))


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.float16, np.float64, "c16"])
def test_every_dtype(dtype):
    given = _tensors(3, (40_000,), dtype)
    for result in _run(schedule("ring", 3), given, 40_000):
        np.testing.assert_array_equal(result, sum(given))
        assert result.dtype == dtype


# ---- operations of one session -----------------------------------------------------------


def _session(devices):
    return tf.Session(config=tf.ConfigProto(device_count={"CPU": devices}))


def _reduce(tensors, sizes=None, groups=None, devices=None, **keywords):
    made = []
    for i, tensor in enumerate(tensors):
        with tf.device(f"/cpu:{i if devices is None else devices[i]}"):
            size = len(tensors) if sizes is None else sizes[i]
            group = 1 if groups is None else groups[i]
            made.append(all_reduce(tensor, size, group, 1, **keywords))
    return made


@pytest.mark.parametrize("hint", ["auto", "ring", "tree", "naive", "nccl"])
def test_devices_of_a_session_reduce(hint):
    with tf.Graph().as_default(), _session(3) as sess:
        made = _reduce([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], communication_hint=hint)
        assert [value.tolist() for value in sess.run(made)] == [[9.0, 12.0]] * 3
        assert "CollectiveReduce" in str(sess.explain(made))


def test_many_operations_in_no_order_of_their_own():
    """Each device runs its nodes one by one; nothing but the common order keeps them together."""
    with tf.Graph().as_default(), _session(3) as sess:
        fetches, want = [], []
        for device in range(3):
            keys = range(12) if device != 1 else reversed(range(12))
            with tf.device(f"/cpu:{device}"):
                fetches += [all_reduce(float(key), 3, 1, key, "Add", "Id") for key in keys]
            want += [3.0 * key for key in (range(12) if device != 1 else reversed(range(12)))]
        # what one device computes, and what another waits for
        with tf.device("/cpu:2"):
            mixed = fetches[12] + fetches[0]
        with tf.device("/cpu:0"):
            fetches.append(mixed * 2.0)
        for _ in range(5):
            assert sess.run(fetches) == [*want, 66.0]


def test_operations_that_meet_cannot_need_each_other():
    with tf.Graph().as_default(), _session(2) as sess:
        with tf.device("/cpu:0"):
            a = all_reduce(1.0, 2, 1, 1)
        with tf.device("/cpu:1"):
            b = all_reduce(a, 2, 1, 1)
        with pytest.raises(tf.errors.InvalidArgumentError, match="they meet, and cannot"):
            sess.run(b)


def test_steps_of_one_session_do_not_mix():
    with tf.Graph().as_default(), _session(2) as sess:
        x = tf.placeholder(tf.float32, [None])
        made = _reduce([x, x * 10])
        results = _together(
            4,
            lambda i: [sess.run(made, {x: np.full(1000, i + k)}) for k in range(20)],
        )
        for i, steps in enumerate(results):
            for k, values in enumerate(steps):
                assert all((value == 11 * (i + k)).all() for value in values)


@pytest.mark.parametrize(
    ("tensors", "keywords", "kind", "message"),
    [
        (
            [[1.0, 2.0], [3.0, 4.0, 5.0]], {}, tf.errors.InvalidArgumentError,
            r"Shape mismatch in the collective instance 1. Op at device .*expected shape \[",
        ),
        (
            [[1.0], [3]], {}, tf.errors.InternalError,
            "Collective instance 1 expected type 0 and data_type ",
        ),
        (
            [[1.0], [3.0]], {"devices": (0, 0)}, tf.errors.InvalidArgumentError,
            "group 1 has 2 operations on the devices",
        ),
        (
            [[1.0], [3.0], [3.0]], {"sizes": (2, 2, 2)}, tf.errors.InvalidArgumentError,
            "group 1 has 3 operations",
        ),
        (
            [[1.0], [3.0]], {"sizes": (2, 3)}, tf.errors.InternalError,
            "is joining a group with size",
        ),
        (
            [[1.0], [3.0]], {"merge_op": "Mul"}, tf.errors.InvalidArgumentError,
            "merge_op must be Add",
        ),
        (
            [[1.0]], {"sizes": (2,), "timeout": 0.2}, tf.errors.DeadlineExceededError,
            "Collective has timed out waiting for other workers.",
        ),
    ],
)  # fmt: skip
def test_wrong_groups(tensors, keywords, kind, message):
    with tf.Graph().as_default(), _session(3) as sess:
        made = _reduce(tensors, **{"timeout": 5.0, **keywords})
        with pytest.raises(kind, match=message) as info:
            sess.run(made)
        assert "CollectiveReduce" in str(info.value)


def test_a_step_that_waits_for_a_member_can_be_given_up():
    graph = tf.Graph()
    with graph.as_default():
        made = _reduce([1.0], sizes=(2,))
    sess = tf.Session(graph=graph)
    closing = threading.Timer(0.3, sess.close)
    closing.start()
    with pytest.raises(tf.errors.CancelledError):
        sess.run(made)
    closing.join()
    sess = tf.Session(graph=graph)
    with pytest.raises(tf.errors.DeadlineExceededError):
        sess.run(made, options=tf.RunOptions(timeout_in_ms=300))


def test_members_in_steps_of_their_own_find_each_other():
    with tf.Graph().as_default(), _session(2) as sess:
        made = []
        for i in range(2):
            with tf.device(f"/cpu:{i}"):
                made.append(all_reduce(float(i + 1), 2, 5, 1))
        results = _together(2, lambda i: [float(sess.run(made[i])) for _ in range(10)])
        assert results == [[3.0] * 10] * 2
