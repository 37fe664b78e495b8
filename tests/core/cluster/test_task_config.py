"""TF_CONFIG is read, and what is wrong with it is said."""

import json
from typing import Any

import pytest

from minitf.core.cluster.task_config import VARIABLE, read_tf_config

CLUSTER = {"ps": ["a:1"], "worker": ["b:1", "c:1"]}


def _text(cluster: Any = CLUSTER, **task: Any) -> str:
    return json.dumps({"cluster": cluster, "task": task})


def test_a_task_of_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, _text(type="worker", index=1))
    task = read_tf_config()
    assert (task.job, task.index) == ("worker", 1)
    assert task.cluster == CLUSTER_BY_INDEX
    assert not task.is_chief
    assert read_tf_config(_text(type="worker", index="0")).is_chief
    assert not read_tf_config(_text(type="ps")).is_chief
    with_chief = {**CLUSTER, "chief": ["d:1"]}
    assert read_tf_config(_text(with_chief, type="chief", index=0)).is_chief
    assert not read_tf_config(_text(with_chief, type="worker", index=0)).is_chief
    assert read_tf_config(_text(type="evaluator", index=0)).job == "evaluator"


CLUSTER_BY_INDEX = {"ps": {0: "a:1"}, "worker": {0: "b:1", 1: "c:1"}}


def test_without_it_a_program_is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    for task in (read_tf_config(), read_tf_config("{}")):
        assert task.job == ""
        assert not task.cluster
        assert task.is_chief


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{cluster", "TF_CONFIG is not JSON: "),
        ("[]", "must be a JSON object with 'cluster' and 'task'"),
        (json.dumps({"cluster": CLUSTER}), "no 'task' that says which one this is"),
        (json.dumps({"cluster": [1], "task": {}}), "'cluster' in TF_CONFIG must be an object"),
        (json.dumps({"cluster": CLUSTER, "task": 3}), "'task' in TF_CONFIG must be an object"),
        (_text({"ps": 3}, type="ps"), "The tasks for job 'ps' must be a list"),
        (_text({"ps": ["a"]}, type="ps"), "the address of ps 0 must be 'host:port', not 'a'"),
        (_text(index=0), "must name a job, not None"),
        (_text(type="worker", index="x"), "'index' of the 'task' in TF_CONFIG must be a number"),
        (_text(type="worker", index=2), "job 'worker' has the tasks [0, 1], but no task 2"),
        (_text(type="master"), "job 'master' is not in the cluster, which has ps, worker"),
    ],
)
def test_mistakes_are_named(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        read_tf_config(text)
    assert message in str(caught.value)
