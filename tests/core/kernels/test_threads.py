"""Splitting work over threads that sleep."""

import os
import threading

import pytest

from minitf.core.kernels import threads


@pytest.fixture(autouse=True)
def three(monkeypatch):
    monkeypatch.setattr(threads, "_count", 3)


@pytest.mark.parametrize("size", [0, 1, 7, 100, 1001])
def test_pieces_cover_the_whole_once(size: int) -> None:
    seen: list[range] = []
    threads.split(lambda start, stop: seen.append(range(start, stop)), size, 10)
    assert sorted(n for piece in seen for n in piece) == list(range(size))


def test_small_work_stays_in_the_caller() -> None:
    where = []
    threads.split(lambda start, stop: where.append(threading.current_thread()), 19, 10)
    assert where == [threading.current_thread()]


def test_large_work_runs_in_several_threads() -> None:
    together = threading.Barrier(3, timeout=20)
    threads.split(lambda start, stop: together.wait(), 300, 10)  # all three must be there


def test_an_error_comes_back_after_all_pieces_have_ended() -> None:
    ended = []

    def run(start: int, stop: int) -> None:
        if start == 0:
            raise ValueError("first piece")
        ended.append(start)

    with pytest.raises(ValueError, match="first piece"):
        threads.split(run, 300, 100)
    assert sorted(ended) == [100, 200]


def test_the_first_wish_counts(monkeypatch) -> None:
    monkeypatch.setattr(threads, "_count", 0)
    threads.configure(2)
    threads.configure(7)
    assert threads.count() == 2
    monkeypatch.setattr(threads, "_count", 0)
    monkeypatch.setenv("MINITF_THREADS", "5")
    assert threads.count() == 5


def test_devices_that_compute_share_the_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_count", 2)

    def pieces() -> int:
        seen: list[int] = []
        threads.split(lambda start, stop: seen.append(start), 100, 10)
        return len(seen)

    with threads.device_program():
        assert pieces() == 2
        other_computes, may_wait, waits, may_end = (threading.Event() for _ in range(4))

        def other() -> None:
            with threads.device_program():
                other_computes.set()
                may_wait.wait(10)
                with threads.waiting():
                    waits.set()
                    may_end.wait(10)

        thread = threading.Thread(target=other)
        thread.start()
        assert other_computes.wait(10)
        assert pieces() == 1
        may_wait.set()
        assert waits.wait(10)
        assert pieces() == 2
        may_end.set()
        thread.join()
    assert pieces() == 2


@pytest.mark.skipif(threads._processor() < 0, reason="the system does not say where a thread runs")
def test_a_thread_leaves_the_processor_of_whom_it_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    moves: list[tuple[int, int]] = []
    kept: list[set[int]] = []

    def move() -> None:
        before = threads._processor()
        threads._leave(before)
        moves.append((before, threads._processor()))
        kept.append(os.sched_getaffinity(0))

    for _ in range(20):
        monkeypatch.setattr(threads, "_moved", -10.0)
        thread = threading.Thread(target=move)
        thread.start()
        thread.join()
    allowed = os.sched_getaffinity(0)
    assert all(each == allowed for each in kept)
    if len(allowed) > 1:  # the system may have moved one back meanwhile
        assert sum(before != after for before, after in moves) > 10


@pytest.mark.skipif(threads._processor() < 0, reason="the system does not say where a thread runs")
def test_threads_are_moved_once_a_second_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[set[int]] = []
    monkeypatch.setattr(
        os, "sched_setaffinity", lambda thread, processors: asked.append(processors)
    )
    monkeypatch.setattr(threads, "_processor", lambda: 0)
    monkeypatch.setattr(threads, "_moved", -10.0)
    threads._leave(1)  # nobody it helps runs here
    assert not asked
    threads._leave(0)
    assert asked == [os.sched_getaffinity(0) - {0}, os.sched_getaffinity(0)]
    threads._leave(0)
    assert len(asked) == 2
