"""ClusterSpec and ServerDef behave, print and fail as TensorFlow's."""

import pytest

from minitf.core.cluster.cluster_spec import ClusterDef, ClusterSpec, JobDef, ServerDef


def test_a_dense_job_is_a_list_and_a_sparse_one_a_dictionary() -> None:
    spec = ClusterSpec({"worker": ["a:1", "b:2"], "ps": {3: "x:1", 1: "y:2"}, "none": []})
    assert spec.as_dict() == {"worker": ["a:1", "b:2"], "ps": {1: "y:2", 3: "x:1"}, "none": {}}
    assert spec.jobs == ["worker", "ps", "none"]
    assert spec.num_tasks("ps") == 2
    assert spec.task_indices("ps") == [1, 3]
    assert spec.task_address("ps", 3) == "x:1"
    assert spec.job_tasks("ps") == [None, "y:2", None, "x:1"]
    assert repr(spec) == (
        "ClusterSpec({'none': {}, 'ps': {1: 'y:2', 3: 'x:1'}, 'worker': ['a:1', 'b:2']})"
    )


def test_equality_and_truth() -> None:
    spec = ClusterSpec({"ps": ["a:1"]})
    assert spec == ClusterSpec(spec) == ClusterSpec(spec.as_cluster_def())
    assert spec == {"ps": {0: "a:1"}}
    assert spec != ClusterSpec({"ps": ["a:2"]})
    assert spec
    assert not ClusterSpec({})
    with pytest.raises(TypeError, match="unhashable"):
        hash(spec)


@pytest.mark.parametrize(
    ("cluster", "message"),
    [
        (3, "`cluster` must be a dictionary mapping one or more job names to lists of network "),
        ({"ps": 3}, "The tasks for job 'ps' must be a list or a dictionary from integers to "),
        ({3: ["a:1"]}, "Job name 3 must be bytes or unicode"),
        ({"ps": [3]}, "Task address 3 must be bytes or unicode"),
    ],
)
def test_what_is_no_cluster_is_a_type_error(cluster: object, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        ClusterSpec(cluster)
    assert str(caught.value).startswith(message)


def test_unknown_jobs_and_tasks_are_value_errors() -> None:
    spec = ClusterSpec({"ps": {1: "a:1"}})
    for ask in (spec.num_tasks, spec.task_indices, spec.job_tasks):
        with pytest.raises(ValueError, match="^No such job in cluster: 'master'$"):
            ask("master")
    with pytest.raises(ValueError, match="^No task with index 0 in job 'ps'$"):
        spec.task_address("ps", 0)


def test_definitions_print_as_protobufs_do() -> None:
    cluster = ClusterDef([JobDef("ps", {0: "localhost:2222"})])
    server = ServerDef(cluster=cluster, job_name="ps", protocol="grpc")
    assert str(server) == (
        'cluster {\n  job {\n    name: "ps"\n    tasks {\n      key: 0\n'
        '      value: "localhost:2222"\n    }\n  }\n}\njob_name: "ps"\nprotocol: "grpc"\n'
    )
