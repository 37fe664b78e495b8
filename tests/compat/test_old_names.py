"""Older namespaces: losses and metrics with the predictions first, tensors as messages, devices."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import minitf as tf
from minitf.compat import behavior, tensor_util
from minitf.compat.tensorflow.borrowed import list_local_devices
from minitf.core.runtime.run import devices
from minitf.core.runtime.run.devices import choices


def test_tensors_become_messages_and_come_back() -> None:
    pytest.importorskip("tensorboard", reason="tensorboard, whose messages these are, is not there")
    for value in ([1.5, 2.0], np.float64(3), [[1, 2]], [True, False], ["a", "bc"], np.float16([1])):
        message = tf.contrib.util.make_tensor_proto(value)
        back = tf.contrib.util.make_ndarray(message)
        wanted = np.asarray(value)
        if wanted.dtype.kind == "U":
            wanted = wanted.astype("S").astype(object)
        np.testing.assert_array_equal(back, wanted)
    filled = tensor_util.make_tensor_proto(3, dtype=tf.int64, shape=[2, 2])
    np.testing.assert_array_equal(tensor_util.MakeNdarray(filled), [[3, 3], [3, 3]])
    assert list(filled.int64_val) == [3]  # one value stands for all
    assert list(tensor_util.make_tensor_proto("foo").string_val) == [b"foo"]
    filled.int64_val[0] = 4
    np.testing.assert_array_equal(tensor_util.MakeNdarray(filled), [[4, 4], [4, 4]])
    with pytest.raises(TypeError, match="Expected Tensor's shape"):
        tensor_util.make_tensor_proto([1, 2], shape=[3], verify_shape=True)
    with pytest.raises(ValueError, match="at most 1, but received 2"):
        tensor_util.make_tensor_proto([1, 2], shape=[1])


# ---- devices and switches -----------------------------------------------------------------------


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> Iterator[list]:
    monkeypatch.setenv("MINITF_SIMULATED_GPUS", "2")
    before = choices.cpus, choices.gpus
    yield tf.config.list_physical_devices("GPU")
    tf.config.set_visible_devices(tf.config.list_physical_devices())
    choices.cpus, choices.gpus = before


def test_devices_are_chosen(two_gpus: list) -> None:
    assert [d.name for d in two_gpus] == ["/physical_device:GPU:0", "/physical_device:GPU:1"]
    assert len(tf.config.list_logical_devices("GPU")) == 2
    tf.config.set_visible_devices(two_gpus[1:], "GPU")
    with tf.Session() as sess:
        names = [device.name.rpartition("device:")[2] for device in sess.list_devices()]
    assert names == ["CPU:0", "GPU:0"]
    tf.config.set_visible_devices([], "GPU")
    assert tf.config.list_logical_devices("GPU") == []
    with pytest.raises(ValueError, match="Unrecognized device"):
        tf.config.set_visible_devices([tf.config.PhysicalDevice("/physical_device:GPU:9", "GPU")])


def test_devices_of_other_types(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = type("Xpu", (), {"device_type": "XPU"})
    monkeypatch.setattr(devices, "_offers", [(kind, lambda: 2)])
    found = tf.config.list_physical_devices("XPU")
    assert [d.name for d in found] == ["/physical_device:XPU:0", "/physical_device:XPU:1"]
    assert found[0] in tf.config.list_physical_devices()


def test_one_device_is_split(two_gpus: list) -> None:
    config = tf.config.experimental
    [cpu] = config.list_physical_devices("CPU")
    for device in (cpu, two_gpus[0]):
        config.set_virtual_device_configuration(device, [config.VirtualDeviceConfiguration()] * 2)
    try:
        names = [device.name for device in list_local_devices()]
        assert names == [f"/device:CPU:{i}" for i in (0, 1)] + [
            f"/device:GPU:{i}" for i in (0, 1, 2)
        ]
    finally:
        for device in (cpu, two_gpus[0]):
            config.set_virtual_device_configuration(device, [config.VirtualDeviceConfiguration()])
    config.set_memory_growth(two_gpus[0], True)


def test_switches_of_version_2() -> None:
    behavior.enable_resource_variables()
    assert behavior.resource_variables_enabled()
    behavior.enable_control_flow_v2()
    assert behavior.control_flow_v2_enabled()
    tf.disable_v2_behavior()
    assert not behavior.resource_variables_enabled()
    assert not tf.executing_eagerly()


def test_a_summary_of_version_2(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        step = tf.placeholder(tf.int64, [])
        writer = tf.summary.create_file_writer(str(tmp_path))
        with writer.as_default(step), tf.summary.record_if(step > 0):
            tf.summary.scalar("s", data=tf.constant(3.0))
        for now in range(3):
            sess.run(tf.summary.all_v2_summary_ops(), {step: now})
        sess.run(writer.close())
    (path,) = tmp_path.iterdir()
    events = tf.train.summary_iterator(str(path))
    written = [(e.step, v.tag, v.simple_value) for e in events for v in e.summary.value]
    assert written == [(1, "s", 3.0), (2, "s", 3.0)]
