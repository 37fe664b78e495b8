"""The measurement on a card: what of it needs none."""

import pytest

from bench import gpu, gpu_worker


def test_without_a_card_it_says_so_and_is_no_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gpu, "cards", lambda: 0)
    assert gpu.main([]) == 0
    assert capsys.readouterr().out == gpu.NO_CARD + "\n"


def test_an_unknown_model_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        gpu.main(["--only", "transformer"])
    assert "invalid choice" in capsys.readouterr().err


def test_the_table_compares_round_by_round() -> None:
    lines = gpu.table({"mlp": {"minitf": [0.001, 0.002, 0.004], "torch": [0.002, 0.006, 0.004]}})
    assert lines[1].split() == ["mlp", "minitf", "500"]
    assert lines[2].split() == ["mlp", "torch", "250", "2.00x", "1.00x-3.0x"]


def test_the_table_works_without_minitf() -> None:
    lines = gpu.table({"cnn": {"jax": [0.5]}})
    assert lines[1].split() == ["cnn", "jax", "2"]


@pytest.mark.parametrize("model", gpu.MODELS)
def test_minitfs_program_runs_on_a_cpu(model: str) -> None:
    assert gpu_worker.Minitf("/cpu:0").build(model)() is None


@pytest.mark.parametrize("model", gpu.MODELS)
def test_the_programs_of_other_libraries_run_on_a_cpu(model: str) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    gpu_worker.Torch(compiled=False, device="cpu").build(model)()
