"""Where the devices of a step meet: under a `Key`, once sent and once received."""

import threading
import time

import pytest

import minitf as tf
from minitf.core.cluster.wire.call import rendezvous_key
from minitf.core.runtime.run.rendezvous import Key, Rendezvous, Steps

PS = "/job:ps/replica:0/task:1/device:CPU:0"
WORKER = "/job:worker/replica:0/task:0/device:GPU:0"
W = Key.of(PS, WORKER, "W/read:0")
B = Key.of(PS, WORKER, "b/read:0")


def test_a_key_knows_the_tasks_of_its_devices() -> None:
    assert (W.sending_task, W.receiving_task) == ("/job:ps/task:1", "/job:worker/task:0")


def test_a_key_of_a_control_edge_begins_with_a_caret() -> None:
    assert Key.of(PS, WORKER, "^W/Assign").is_control and not W.is_control


def test_a_key_travels_as_text() -> None:
    text = (
        "/job:ps/replica:0/task:1/device:CPU:0;/job:worker/replica:0/task:0/device:GPU:0;W/read:0"
    )
    assert W.text == text
    assert rendezvous_key(text, "The key") == W


@pytest.mark.parametrize("text", ["", "a;b", "a;b;c;d", 7, None, b"a;b;c", ["a", "b", "c"]])
def test_what_is_no_key_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match="The key must be a "):
        rendezvous_key(text, "The key")


def test_what_is_sent_is_received_once() -> None:
    meeting = Rendezvous(deadline=time.monotonic() + 0.05)
    meeting.send(W, 7)
    meeting.send(B, 8)
    assert meeting.recv_many([B, W]) == [8, 7]
    with pytest.raises(tf.errors.DeadlineExceededError):
        meeting.recv_many([W])[0]


def test_recv_waits_for_send() -> None:
    meeting = Rendezvous()
    threading.Timer(0.02, meeting.send, (W, 7)).start()
    assert meeting.recv_many([W])[0] == 7


def test_recv_waits_no_longer_than_allowed() -> None:
    late = Rendezvous(deadline=time.monotonic() + 0.02)
    late.send(W, 7)
    with pytest.raises(tf.errors.DeadlineExceededError, match="waiting for tensor 'b/read:0'"):
        late.recv_many([W, B])


def test_who_waits_hears_that_the_step_was_given_up() -> None:
    meeting = Rendezvous()
    error = tf.errors.AbortedError(None, None, "given up")
    threading.Timer(0.02, meeting.abort, (error,)).start()
    with pytest.raises(tf.errors.AbortedError, match="given up"):
        meeting.recv_many([W])[0]
    assert not meeting.alive


def test_closing_a_session_ends_its_steps_and_those_to_come() -> None:
    steps, closed = Steps(), tf.errors.CancelledError(None, None, "closed")
    with steps.begin() as meeting:
        steps.close(closed)
        with pytest.raises(tf.errors.CancelledError, match="closed"):
            meeting.recv_many([W])[0]
    with steps.begin() as late, pytest.raises(tf.errors.CancelledError, match="closed"):
        late.recv_many([W])[0]
    assert not steps.shared.alive


def test_a_step_has_the_sessions_limit_unless_it_states_its_own() -> None:
    with Steps(limit_ms=60_000).begin(limit_ms=20) as meeting:
        with pytest.raises(tf.errors.DeadlineExceededError):
            meeting.recv_many([W])[0]
