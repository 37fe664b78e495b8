"""The worker service of one task, here: what it registers, runs, hands out and refuses."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

import minitf as tf
from minitf.core.cluster.cluster_spec import ClusterSpec
from minitf.core.cluster.service.peers import Peers
from minitf.core.cluster.service.worker import WorkerService
from minitf.core.cluster.wire.call import is_derived
from minitf.core.cluster.wire.traffic import TrafficTap
from minitf.core.cluster.wire.transport import TransportOptions
from minitf.core.graph.device_spec import task_of
from minitf.core.runtime.plan.partition import partition
from minitf.core.runtime.plan.subgraph import Node, prune
from minitf.core.runtime.run.devices import CpuDevice
from minitf.core.runtime.run.rendezvous import Key

PS, WORKER = (f"/job:{job}/replica:0/task:0/device:CPU:0" for job in ("ps", "worker"))
STEP = 7
X = Key.of(PS, WORKER, "x:0")


def make(refuse: tuple[str, ...] = ()) -> WorkerService:
    """The service of the ps; the worker is never called."""
    peers = Peers(task_of(PS), TransportOptions(token=None), TrafficTap())
    peers.set_cluster(ClusterSpec({"ps": ["localhost:1"], "worker": ["localhost:2"]}))
    return WorkerService([CpuDevice(PS)], peers, refuse)


@pytest.fixture
def ps() -> Iterator[WorkerService]:
    with tf.Graph().as_default():
        yield make()


def on_ps(fetch: Any, feeds: tuple = (), elsewhere: tuple[str, ...] = ()) -> list[Node]:
    """The part of a graph that is the ps's."""
    nodes = prune([fetch], [], feeds)
    for node in nodes:
        node.device = WORKER if node.name in elsewhere else PS
    return partition(nodes, task_of)[task_of(PS)]


def x_for_another_task(ps: WorkerService) -> int:
    """Registers what sends `x`, a 2, to the worker."""
    y = tf.negative(tf.constant(2.0, name="x"), name="y")
    return ps.register_graph(on_ps(y, (), ("y", "_retval_y_0_0")), 0, False, {})


def ask(ps: WorkerService) -> list[Any]:
    return ps.recv_tensor(STEP, [X], lambda give_up: None)


def test_a_graph_is_registered_once_and_run_with_what_is_fed(ps: WorkerService) -> None:
    x = tf.placeholder(tf.float32, [])
    handle = ps.register_graph(on_ps(x * 2.0, (x,)), 1, False, {})
    assert list(ps.run_graph(handle, STEP, [3.0])) == [6.0]
    assert list(ps.run_graph(handle, STEP + 1, [4.0])) == [8.0]


def test_variables_belong_to_the_task(ps: WorkerService) -> None:
    v = tf.Variable(5.0, name="v", use_resource=False)
    first = ps.register_graph(on_ps(v.initializer.outputs[0]), 1, False, {})
    other = ps.register_graph(on_ps(v.value()), 1, False, {})
    ps.run_graph(first, STEP, [])
    assert list(ps.run_graph(other, STEP + 1, [])) == [5.0]


def test_a_step_stays_until_others_have_taken_what_it_sends(ps: WorkerService) -> None:
    ps.run_graph(x_for_another_task(ps), STEP, [])
    assert STEP in ps._steps
    assert ask(ps) == [2.0]
    assert STEP not in ps._steps


def test_a_peer_may_ask_before_the_step_starts(ps: WorkerService) -> None:
    handle = x_for_another_task(ps)
    threading.Timer(0.02, ps.run_graph, (handle, STEP, [])).start()
    assert ask(ps) == [2.0]


def test_who_waits_and_who_comes_later_hear_that_a_step_was_given_up(ps: WorkerService) -> None:
    gone = tf.errors.AbortedError(None, None, "gone")
    threading.Timer(0.02, ps.cleanup_graph, (STEP, gone)).start()
    with pytest.raises(tf.errors.AbortedError, match="gone"):
        ask(ps)
    with pytest.raises(tf.errors.AbortedError, match="gone") as late:
        ask(ps)
    assert is_derived(late.value)  # an echo: who looks for the cause goes on


def test_an_unknown_handle_means_that_the_task_was_restarted(ps: WorkerService) -> None:
    handle = ps.register_graph(on_ps(tf.constant(1.0)), 1, False, {})
    ps.deregister_graphs([handle])
    with pytest.raises(tf.errors.AbortedError, match="/job:ps/task:0 was probably restarted"):
        ps.run_graph(handle, STEP, [])


def test_values_that_do_not_fit_are_refused(ps: WorkerService) -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    handle = ps.register_graph(on_ps(x * 2.0, (x,)), 1, False, {})
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected 1 values to feed, got 0"):
        ps.check_feeds(handle, [])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot feed value of type "):
        ps.check_feeds(handle, [7])


def test_a_device_of_another_task_is_refused(ps: WorkerService) -> None:
    nodes = prune([tf.constant(1.0)], [], [])
    for node in nodes:
        node.device = WORKER
    with pytest.raises(tf.errors.InvalidArgumentError, match="/job:ps/task:0 has no device /job"):
        ps.register_graph(nodes, 1, False, {})


def test_a_task_without_files_runs_nothing_that_reaches_them() -> None:
    with tf.Graph().as_default():
        nodes = on_ps(tf.read_file("secret"))
        with pytest.raises(tf.errors.PermissionDeniedError, match="does not run 'ReadFile'"):
            make(refuse=("files",)).register_graph(nodes, 1, False, {})
