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
    answer = frameworks_worker.Minitf("cpu").build(model)()
    assert answer == (42.0 if model == "tiny" else None)


@pytest.mark.parametrize("program", ["torch", "jax"])
@pytest.mark.parametrize("model", frameworks.MODELS)
def test_the_programs_of_other_libraries_run_on_a_cpu(model: str, program: str) -> None:
    pytest.importorskip(program, reason=f"{program} is not installed")
    answer = frameworks_worker.program_of(program, "cpu").build(model)()
    assert answer == (42.0 if model == "tiny" else None)
