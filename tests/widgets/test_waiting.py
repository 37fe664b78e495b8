"""The line below a cell that waits: in a real kernel, on a shell, and where no threads start."""

from __future__ import annotations

import threading
import time
import types

import pytest
from IPython.core.interactiveshell import InteractiveShell
from minitf_widgets.show import registry, waiting

from tests.kernel import Kernel


class Kept:
    """A session that keeps what is sent."""

    def __init__(self):
        self.sent = []

    def send(self, stream, kind, content=None, parent=None, ident=None):
        self.sent.append((kind, content))


@pytest.fixture
def shell(monkeypatch):
    """A shell with a kernel's session, in which a line comes soon."""
    made = InteractiveShell()
    made.kernel = types.SimpleNamespace(session=Kept())
    for name, value in {"pub_socket": None, "parent_header": {}, "topic": b""}.items():
        setattr(made.display_pub, name, value)
    wait = threading.Event.wait
    monkeypatch.setattr(
        threading.Event, "wait", lambda event, seconds=None: wait(event, seconds and seconds / 20)
    )
    monkeypatch.setattr(waiting, "LATE", 0.1)
    yield made
    registry.unload_ipython_extension(made)
    InteractiveShell.clear_instance()


def kinds(shell):
    return [kind for kind, _ in shell.kernel.session.sent]


def test_a_line_is_renewed_and_cleared_at_the_end(shell):
    registry.load_ipython_extension(shell)
    shell.run_cell("import time\nsleep = time.sleep  # first\nsleep(0.5)")
    sent = shell.kernel.session.sent
    assert kinds(shell)[0] == "display_data" and kinds(shell)[-1] == "clear_output"
    assert set(kinds(shell)[1:-1]) == {"update_display_data"}
    assert sent[0][1]["data"]["text/plain"] == "0 s in line 3: sleep(0.5)"
    assert {content["transient"]["display_id"] for _, content in sent[:-1]} == {
        sent[0][1]["transient"]["display_id"]
    }
    shell.run_cell("1 + 1")
    assert kinds(shell).count("display_data") == 1, "a quick cell has none"


def test_an_output_takes_its_place_and_no_line_comes_after_it(shell):
    registry.load_ipython_extension(shell)
    session = shell.kernel.session
    shell.user_ns["say"] = lambda: session.send(None, {"msg_type": "stream"})
    shell.run_cell("import time\ntime.sleep(0.4)\nsay()\ntime.sleep(0.4)")
    told = [kind if isinstance(kind, str) else kind["msg_type"] for kind in kinds(shell)]
    assert told[-2:] == ["clear_output", "stream"]
    assert told.count("clear_output") == 1 and told[0] == "display_data"
    session.sent.clear()
    shell.run_cell("say()\ntime.sleep(0.4)")
    assert session.sent == [({"msg_type": "stream"}, None)]


def test_names_and_sources_are_text(shell):
    registry.load_ipython_extension(shell)
    shell.run_cell("import time; time.sleep(0.4)  # <b>bold</b>")
    data = shell.kernel.session.sent[0][1]["data"]
    assert "<b>" not in data["text/html"] and "<b>bold</b>" in data["text/plain"]


def test_without_threads_cells_run_and_have_no_line(shell, monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    registry.load_ipython_extension(shell)
    assert shell.run_cell("import time; time.sleep(0.3); 7").result == 7
    assert shell.kernel.session.sent == []


def test_nothing_of_it_is_left(shell):
    registry.load_ipython_extension(shell)
    registry.unload_ipython_extension(shell)
    assert shell.kernel.session.send == Kept.send.__get__(shell.kernel.session)
    shell.run_cell("import time; time.sleep(0.4)")
    assert shell.kernel.session.sent == []
    waits = [thread for thread in threading.enumerate() if thread.name == "waiting"]
    deadline = time.monotonic() + 10
    while any(thread.is_alive() for thread in waits) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(thread.is_alive() for thread in waits)


SLOW = """import time
def work():
    time.sleep(3.5)

work()
print("done")
7"""


def test_a_cell_of_a_kernel_keeps_nothing_but_its_outputs(tmp_path):
    """What a notebook holds at the end, by what the kernel sends: `clear_output` empties it."""
    with Kernel(tmp_path) as kernel:
        kernel.run("import minitf as tf")
        message = kernel.client.execute(SLOW)
        lines, outputs = [], []
        while True:
            answer = kernel.client.get_iopub_msg(timeout=60)
            if answer["parent_header"].get("msg_id") != message:
                continue
            kind, content = answer["msg_type"], answer["content"]
            if "line 5: work()" in content.get("data", {}).get("text/plain", ""):
                lines.append(content["data"]["text/plain"])
            if kind == "clear_output":
                outputs.clear()
            elif kind in ("stream", "display_data", "execute_result"):
                outputs.append(kind)
            elif kind == "status" and content["execution_state"] == "idle":
                break
        assert lines and lines[0].startswith(("2 s in line", "3 s in line"))
        assert outputs == ["stream", "execute_result"]
