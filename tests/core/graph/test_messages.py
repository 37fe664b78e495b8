"""Messages that people fill in refuse what protobuf refuses."""

from typing import Any

import numpy as np
import pytest

import minitf as tf


def test_numbers_and_booleans_stand_for_each_other() -> None:
    config = tf.ConfigProto(
        allow_soft_placement=1,
        log_device_placement=np.True_,
        inter_op_parallelism_threads=np.int64(2),
        gpu_options={"per_process_gpu_memory_fraction": 1},
        isolate_session_state=None,
    )
    assert config.allow_soft_placement is True and config.log_device_placement is True
    assert config.inter_op_parallelism_threads == 2
    assert repr(config.gpu_options.per_process_gpu_memory_fraction) == "1.0"
    assert config.isolate_session_state is False
    config.graph_options.optimizer_options.global_jit_level = "ON_1"
    assert config.graph_options.optimizer_options.global_jit_level == 1


@pytest.mark.parametrize(
    ("fields", "error", "text"),
    [
        ({"allow_soft_placement": "yes"}, TypeError, "'str' object cannot be interpreted as an"),
        ({"inter_op_parallelism_threads": 2.0}, TypeError, "'float' object cannot be interpreted"),
        ({"device_count": {"CPU": "x"}}, TypeError, "'str' object cannot be interpreted as an"),
        ({"device_filters": [1]}, TypeError, "bad argument type for built-in operation"),
        ({"gpu_options": 1}, TypeError, "Message must be initialized with a dict: tensorflow.Conf"),
        ({"nosuch": 1}, ValueError, 'Protocol message ConfigProto has no "nosuch" field.'),
    ],
)
def test_what_is_no_value_of_a_field(fields: dict, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        tf.ConfigProto(**fields)


def test_what_cannot_be_set() -> None:
    config = tf.ConfigProto()
    with pytest.raises(AttributeError, match='ConfigProto has no "nosuch" field'):
        config.nosuch = 1
    with pytest.raises(TypeError, match="must be real number, not str"):
        config.gpu_options.per_process_gpu_memory_fraction = "0.5"
    with pytest.raises(ValueError, match='unknown enum label "zz"'):
        config.graph_options.optimizer_options.opt_level = "zz"


def test_records_of_a_run_are_made_part_by_part() -> None:
    metadata = tf.RunMetadata()
    device = metadata.step_stats.dev_stats.add(device="test")
    device.node_stats.add().node_name = "x"
    read = tf.RunMetadata.FromString(metadata.SerializeToString())
    assert read.step_stats.dev_stats[0].node_stats[0].node_name == "x"
