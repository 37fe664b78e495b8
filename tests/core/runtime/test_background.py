"""What other threads do while a step is traced."""

import threading

from minitf.core.runtime.run.step_stats import Listener, working


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
