"""The programs in examples/ run, in a short form, and find what they say that one finds."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compiled import whole_project

ROOT = Path(__file__).resolve().parent.parent
pytestmark = [pytest.mark.slow, whole_project]


def run(program: str, *arguments: str) -> str:
    """What a program out of examples/ prints; it must end well and say nothing of an error."""
    paths = f"{ROOT}{os.pathsep}{ROOT / 'widgets'}"
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / program), *arguments],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert done.returncode == 0, done.stderr
    # A worker of Dask whose heart beats while its cluster closes tells of that, and ends.
    own = done.stderr.partition("Failed to communicate with scheduler during heartbeat")[0]
    assert "Traceback" not in own
    return done.stdout


def numbers(pattern: str, text: str) -> list[float]:
    """The numbers where the pattern has a group."""
    return [float(each.replace(",", "")) for each in re.findall(pattern, text)]


def test_naive_processes_have_a_card_each() -> None:
    said = run("parallel_naive.py", "--rates", "0.001", "0.5", "--steps", "200")
    assert re.findall(r"on card (\d) \(in its process: (GPU:\d)", said) == [
        ("0", "GPU:0"),
        ("1", "GPU:0"),
    ]
    assert "best rate: 0.5" in said


def test_naive_trainings_run_one_by_one_where_no_process_starts(tmp_path) -> None:
    program = tmp_path / "alone.py"
    program.write_text(
        "import runpy, sys\n"
        "sys.executable = '/no/python'  # an OSError, as in a browser\n"
        f"runpy.run_path({str(ROOT / 'examples/parallel_naive.py')!r}, run_name='__main__')\n"
    )
    said = run(str(program), "--rates", "0.001", "0.5", "--steps", "200")
    assert said.startswith("This machine starts no processes ([Errno 2]")
    assert "best rate: 0.5" in said and "card" not in said


def test_towers_learn_what_one_device_learns() -> None:
    said = run("parallel_data.py", "--towers", "4", "--steps", "30")
    assert numbers(r"difference between the costs: (\S+)", said)[0] < 1e-4


def test_a_split_model_sends_activations_and_no_weights() -> None:
    said = run("parallel_model.py", "--size", "200", "--parts", "2", "--steps", "20")
    before, after = re.findall(r"cost (\S+) then (\S+)", said)[0]
    assert float(after) < float(before)
    for sent in numbers(r"GPU:\d sends ([\d,]+) bytes", said):
        assert 64 * 100 * 4 <= sent < 64 * 100 * 4 + 100  # 100 units for 64 images


def test_images_a_second_are_measured() -> None:
    said = run("images_per_second.py", "--batches", "1", "8", "--seconds", "0.1")
    rows = re.findall(r"^ +(1|8) +([\d,]+) +([\d,]+)$", said, re.MULTILINE)
    assert [row[0] for row in rows] == ["1", "8"]
    assert "V100, float16" in said


def test_a_search_finds_the_rate_that_learns() -> None:
    said = run(
        "search_over_cluster.py", "--workers", "2", "--rates", "0.0001", "0.5", "--folds", "2",
        "--steps", "100",
    )  # fmt: skip
    assert len(re.findall(r"^rate .* folds: +\S+%  \S+%$", said, re.MULTILINE)) == 2
    assert "best rate: 0.5" in said


def test_workers_learn_from_their_parts_of_the_data() -> None:
    said = run("split_data.py", "--steps", "150")
    assert numbers(r"trained on (\d+) images", said) == [749, 748]
    assert numbers(r"^(\d+) updates", said.splitlines()[-1]) == [300]
    assert numbers(r"updates; ([\d.]+)%", said)[0] > 60


def test_activations_and_gradients_travel_between_the_parts_of_a_model() -> None:
    said = run("split_model.py", "--size", "100", "--steps", "40")
    before, after = re.findall(r"cost (\S+) then (\S+)", said)[0]
    assert float(after) < float(before)
    [each] = numbers(r"between the workers: ([\d,]+) bytes", said)
    assert 2 * 64 * 100 * 4 * 0.9 < each < 2 * 64 * 100 * 4 * 1.5
