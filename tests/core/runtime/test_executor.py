"""Runs programs together, finds the node whose line has failed, traces what threads do."""

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import minitf as tf
from minitf.core.runtime.emit.emit import Program
from minitf.core.runtime.run.devices import CpuDevice
from minitf.core.runtime.run.executor import Tracer, describe, run_programs
from minitf.core.runtime.run.rendezvous import Key, Rendezvous
from minitf.core.runtime.run.step_stats import Listener, working

X = Key.of("/device:CPU:0", "/device:CPU:1", "x:0")


def node(name: str) -> Any:
    """A node of which only a message is made."""
    return SimpleNamespace(name=name, type="Op", device="/device:CPU:0", op=None, inputs=[])


def program(run: Callable[..., tuple], args: list[int], fetches: list[int], fails: str = "") -> Any:
    """A program written by hand; its second line is the one that may fail."""
    line = run.__code__.co_firstlineno + 1
    return Program(CpuDevice("/device:CPU:0"), "", run, args, fetches, {line: [node(fails)]})


def test_feeds_and_fetches_go_by_their_numbers() -> None:
    def swap(rendezvous: Rendezvous, a: int, b: int) -> tuple:
        return (a, b)

    programs = [program(swap, [1, 0], [0, 2])]
    assert run_programs(programs, [10, 20], 3, Rendezvous()) == [20, None, 10]


def test_programs_meet_at_the_rendezvous() -> None:
    def sender(rendezvous: Rendezvous, x: int) -> tuple:
        rendezvous.send(X, x + 1)
        return ()

    def receiver(rendezvous: Rendezvous) -> tuple:
        return (rendezvous.recv_many([X])[0],)

    programs = [program(receiver, [], [0]), program(sender, [0], [])]
    assert run_programs(programs, [41], 1, Rendezvous()) == [42]


def test_the_error_names_the_node_of_the_line() -> None:
    def divide(rendezvous: Rendezvous) -> tuple:
        return (1 // 0,)

    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"(?s)Op: integer.*\[\[node ratio \]\]"
    ):
        run_programs([program(divide, [], [0], "ratio")], [], 1, Rendezvous())


def test_a_failure_ends_the_other_programs() -> None:
    def waiting(rendezvous: Rendezvous) -> tuple:
        return (rendezvous.recv_many([X])[0],)

    def failing(rendezvous: Rendezvous) -> tuple:
        raise MemoryError("64 GB")

    programs = [program(waiting, [], [0]), program(failing, [], [], "big")]
    with pytest.raises(tf.errors.ResourceExhaustedError, match="OOM when running Op on .*64 GB"):
        run_programs(programs, [], 1, Rendezvous())


def test_what_is_no_failure_of_a_node_comes_as_it_is() -> None:
    def interrupted(rendezvous: Rendezvous) -> tuple:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_programs([program(interrupted, [], [0], "x")], [], 1, Rendezvous())


def test_numpy_speaks_of_shapes_as_tensorflow_does() -> None:
    error = ValueError("operands could not be broadcast together with shapes (2,) (3,4) ")
    assert describe(error, "Add", "") == ("Incompatible shapes: [2] vs. [3,4]", 3)


def test_a_trace_has_a_line_for_each_node_of_each_device() -> None:
    def traced(rendezvous: Rendezvous, log: Callable[..., None]) -> tuple:
        log(node("x"), 5_000, 9_000, b"")
        return ()

    tracer = Tracer()
    run_programs([program(traced, [], [])], [], 0, Rendezvous(), tracer)
    (stats,) = tracer.step_stats().dev_stats
    (line,) = stats.node_stats
    assert (stats.device, line.node_name, line.op_end_rel_micros) == ("/device:CPU:0", "x", 4)
    assert line.thread_id == threading.get_ident() % 100_000


def test_work_that_began_before_or_has_not_ended_is_cut_to_the_step():
    begun, listening, finish = threading.Event(), threading.Event(), threading.Event()

    def work():
        with working("A"):
            begun.set()
            listening.wait(10)
        with working("B"), working("a part of B"):
            finish.wait(10)

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait(10)
    listener = Listener()
    listening.set()
    while "B" not in {each.kind for each in listener.heard()}:
        pass
    heard = [work for work in listener.heard() if work.thread == thread.ident]
    finish.set()
    thread.join()
    assert [work.kind for work in heard] == ["A", "B"]
    assert heard[0].started <= heard[0].ended <= heard[1].started <= heard[1].ended
    assert [work.kind for work in listener.done if work.thread == thread.ident] == ["A", "B"]


def test_nobody_hears_what_was_done_before():
    with working("before"):
        pass
    assert "before" not in {work.kind for work in Listener().heard()}
