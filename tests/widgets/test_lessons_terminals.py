"""Terminals of a lesson: one program, started once for each task."""

import pytest

pytest.importorskip("matplotlib")
from minitf_widgets.lessons import Terminals  # noqa: E402


def test_a_program_is_started_as_one_task_after_the_other(tmp_path):
    (tmp_path / "who.py").write_text("import sys\nprint(sys.argv[-2:], flush=True)\n")
    terminals = Terminals("who.py", tmp_path, ps=1, workers=2)
    assert {job: len(hosts) for job, hosts in terminals.hosts.items()} == {"ps": 1, "worker": 2}
    assert str(terminals).count("python -m minitf who.py --ps_hosts=127.0.0.1:") == 3
    terminals.start("ps", 0)
    terminals.start_task("/job:worker/task:1")
    assert list(terminals.running) == [("ps", 0), ("worker", 1)]
    assert terminals.said("worker", 1, timeout=60) == "['--job_name=worker', '--task_index=1']"
    terminals.stop()
    assert all(each.poll() is not None for each in terminals.running.values())
