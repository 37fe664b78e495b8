"""The measurement beside PyTorch and JAX: what of it needs no card."""

import pytest

from bench import frameworks, frameworks_worker


def test_without_a_card_it_says_so_and_is_no_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(frameworks, "cards", lambda: 0)
    assert frameworks.main(["--device", "gpu"]) == 0
    assert capsys.readouterr().out == frameworks.NO_CARD + "\n"


def test_an_unknown_model_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        frameworks.main(["--only", "transformer"])
    assert "invalid choice" in capsys.readouterr().err


def test_the_table_compares_round_by_round() -> None:
    seconds = {"minitf": [0.001, 0.002, 0.004], "torch": [0.002, 0.006, 0.004]}
    lines = frameworks.table({"mlp": seconds})
    assert lines[1].split() == ["mlp", "minitf", "500"]
    assert lines[2].split() == ["mlp", "torch", "250", "2.00x", "1.00x-3.0x"]


def test_the_table_works_without_minitf() -> None:
    lines = frameworks.table({"cnn": {"jax": [0.5]}})
    assert lines[1].split() == ["cnn", "jax", "2"]


@pytest.mark.parametrize("model", frameworks.MODELS)
def test_minitfs_program_runs_on_a_cpu(model: str) -> None:
    answer = frameworks_worker.Graphs("minitf", "cpu").build(model)()
    assert answer == (42.0 if model == "tiny" else None)


@pytest.mark.parametrize("program", ["torch", "jax"])
@pytest.mark.parametrize("model", frameworks.MODELS)
def test_the_programs_of_other_libraries_run_on_a_cpu(model: str, program: str) -> None:
    pytest.importorskip(program, reason=f"{program} is not installed")
    answer = frameworks_worker.program_of(program, "cpu").build(model)()
    assert answer == (42.0 if model == "tiny" else None)


def test_the_operations_of_a_step_are_those_of_its_products() -> None:
    perceptron = frameworks_worker.NETWORKS["mlp"].operations()
    assert perceptron == 2 * 128 * (2 * 784 * 128 + 3 * 128 * 10)
    convolutional = frameworks_worker.NETWORKS["cnn"].operations()
    pixels, features = 26 * 26 * 32, 13 * 13 * 32
    products = 2 * pixels * 9 + 3 * features * 128 + 3 * 128 * 10
    assert convolutional == 2 * 128 * products


def test_the_least_time_of_a_step_is_what_the_machine_needs_for_it() -> None:
    limits = {"operations": 1e9, "bytes": 1e6}
    assert frameworks_worker.least_seconds("ridge", limits) == 1.6
    assert frameworks_worker.least_seconds("tiny", limits) == 0.0
    assert frameworks_worker.least_seconds("mlp", limits) == pytest.approx(0.0524, rel=0.01)
