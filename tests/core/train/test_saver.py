"""Checkpoints on disk: torn, changed, missing and killed; parts, types, clusters."""

import os
import signal
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.graph import dtypes
from minitf.library.formats import file_io
from minitf.library.formats.checkpoint_files import merge_checkpoints, write_checkpoint
from minitf.library.formats.checkpoint_reader import CheckpointReader
from minitf.library.formats.sstable import Table, parse_table
from minitf.library.formats.tensor_bundle import decode_entry
from minitf.library.saving import saver_builder

ROOT = Path(__file__).resolve().parents[3]


def saved(folder: Path) -> tuple[Any, str]:
    """A session with a saved variable, and the checkpoint."""
    tf.Variable([1.0, 2.0, 3.0], name="w")
    saver = tf.train.Saver()
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return session, saver.save(session, str(folder / "m"))


def restore_error(path: str) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable([0.0, 0.0, 0.0], name="w")
        with pytest.raises(tf.errors.OpError) as caught:
            tf.train.Saver().restore(session, path)
        return caught.value


def test_the_files_are_what_the_documentation_says(tmp_path: Path) -> None:
    saved(tmp_path)
    data = tmp_path / "m.data-00000-of-00001"
    assert np.fromfile(data, "<f4").tolist() == [1.0, 2.0, 3.0]
    assert sorted(parse_table((tmp_path / "m.index").read_bytes())) == [b"", b"w"]
    assert tf.MetaGraphDef.FromString((tmp_path / "m.meta").read_bytes()).graph_def.node
    assert sorted(os.listdir(tmp_path)) == [
        "checkpoint",
        "m.data-00000-of-00001",
        "m.index",
        "m.meta",
    ]


@pytest.mark.parametrize("size", [0, 4, -4])
def test_a_torn_data_file_is_told(tmp_path: Path, size: int) -> None:
    _, path = saved(tmp_path)
    data = tmp_path / "m.data-00000-of-00001"
    data.write_bytes(data.read_bytes()[: size or None] if size else b"")
    error = restore_error(path)
    assert isinstance(error, tf.errors.DataLossError)
    assert "Read less bytes than requested" in error.message
    assert str(data) in error.message and "tensor: w" in error.message


def test_a_changed_number_is_told(tmp_path: Path) -> None:
    _, path = saved(tmp_path)
    data = tmp_path / "m.data-00000-of-00001"
    content = data.read_bytes()
    data.write_bytes(content[:-4] + struct.pack("<f", 3.5))
    error = restore_error(path)
    assert isinstance(error, tf.errors.DataLossError)
    assert f"TensorBundle at {path} shard 0 (12 bytes): Checksum does not" in error.message
    assert str(data) in error.message and "tensor: w" in error.message


@pytest.mark.parametrize("damage", [b"", b"junk" * 20, b"changed", b"cut"])
def test_a_torn_index_is_told(tmp_path: Path, damage: bytes) -> None:
    _, path = saved(tmp_path)
    index = tmp_path / "m.index"
    content = index.read_bytes()
    changed = {b"changed": content.replace(b"w", b"v"), b"cut": content[:-20]}
    index.write_bytes(changed.get(damage, damage))
    error = restore_error(path)
    assert isinstance(error, tf.errors.DataLossError) and str(index) in error.message


def forged(path: str, **claims: Any) -> None:
    """Makes the index of a checkpoint say something else of the tensor `w`."""
    table = parse_table(Path(path + ".index").read_bytes())
    table[b"w"] = decode_entry(table[b"w"])._replace(**claims).encode()
    Path(path + ".index").write_bytes(Table(table).data)


@pytest.mark.parametrize(
    ("claims", "text"),
    [
        ({"offset": 4}, "Read less bytes"),
        ({"offset": -1}, "Read less bytes"),
        ({"size": 1 << 62}, "Read less bytes"),
        ({"shape": (1 << 40,)}, "stored size 12; expected size 4398046511104"),
        ({"shape": (1 << 62, 1 << 62)}, "stored size 12; expected size"),
        ({"shape": (0, 1 << 62, 1 << 62), "size": 0}, "too large|dimension|too big"),
        ({"shape": (-3,)}, "negative size"),
        ({"number": 7}, "The length checksum does not match|Read less bytes"),
        ({"number": 7, "shape": (1 << 50,)}, "Read less bytes"),
        ({"slices": (((0, 3),),)}, "a slice of tensor w is missing"),
    ],
)
def test_claims_of_an_index_are_compared_with_the_files(
    tmp_path: Path, claims: dict[str, Any], text: str
) -> None:
    _, path = saved(tmp_path)
    forged(path, **claims)
    with pytest.raises(tf.errors.DataLossError, match=text):
        CheckpointReader(path).get_tensor("w")


def test_a_checksum_of_another_kind_is_told(tmp_path: Path) -> None:
    _, path = saved(tmp_path)
    table = parse_table(Path(path + ".index").read_bytes())
    table[b"w"] += b"\x30" + b"\xff" * 9 + b"\x01"  # a varint of 64 bits
    Path(path + ".index").write_bytes(Table(table).data)
    assert isinstance(restore_error(path), tf.errors.DataLossError)


def test_types_that_there_are_not_here_are_told(tmp_path: Path) -> None:
    _, path = saved(tmp_path)
    forged(path, number=24)
    assert tf.train.list_variables(path) == [("w", [3])]
    with pytest.raises(tf.errors.UnimplementedError, match=r"type number 24.*tensor: w"):
        tf.train.load_variable(path, "w")


def test_slices_that_share_bytes_are_told(tmp_path: Path) -> None:
    """A small file must not be read as a tensor of any size."""
    prefix = str(tmp_path / "m")
    rows = 500
    texts = [f"{rows} 100 {i},1:-" for i in range(rows)]
    write_checkpoint(prefix, ["w"] * rows, texts, [np.zeros((1, 100), np.float32)] * rows)
    data = Path(prefix + ".data-00000-of-00001")
    table = parse_table(Path(prefix + ".index").read_bytes())
    for key, value in table.items():
        if key.startswith(b"\0"):
            table[key] = decode_entry(value)._replace(offset=0).encode()
    Path(prefix + ".index").write_bytes(Table(table).data)
    data.write_bytes(data.read_bytes()[:400])
    with pytest.raises(tf.errors.DataLossError, match="Read less bytes"):
        tf.train.load_variable(prefix, "w")
    forged(prefix, slices=(((0, 1), (0, -1)),))
    with pytest.raises(tf.errors.InvalidArgumentError, match="do not cover"):
        tf.train.load_variable(prefix, "w")


def test_every_type_and_odd_shapes_come_back(tmp_path: Path) -> None:
    values: dict[str, Any] = {
        t.name: np.arange(6).reshape(2, 3).astype(t.as_numpy_dtype)
        for t in dtypes.ALL
        if t != tf.string
    }
    values["transposed"] = np.arange(2e6).reshape(2, -1).T  # several pieces, not in one row
    values["empty"] = np.zeros((0, 3), np.float32)
    values["scalar"] = np.float32(2.5)
    values["text"] = np.array([[b"a", b""], [b"\0\xff\0", "\u00e9".encode() * 200]], object)
    values["no text"] = np.zeros((2, 0), object)
    values["word"] = b"ends in zero\0"
    prefix = str(tmp_path / "m")
    write_checkpoint(prefix, list(values), [""] * len(values), list(values.values()))
    reader = CheckpointReader(prefix)
    assert reader.names == values.keys()
    for name, value in values.items():
        got = reader.get_tensor(name)
        assert np.array_equal(got, value) and np.shape(got) == np.shape(value), name
        assert reader.get_variable_to_shape_map()[name] == list(np.shape(value))
    reader.get_tensor("float32")[:] = 7.0  # is the caller's own
    assert reader.get_tensor("float32").tolist() == [[0, 1, 2], [3, 4, 5]]


def test_what_was_restored_does_not_hang_on_the_file(tmp_path: Path) -> None:
    session, path = saved(tmp_path)
    (w,) = tf.global_variables()
    values = saver_builder.restore_v2(path, ["w"], [""], dtypes=(tf.float32,))
    fetched = session.run(values[0])
    tf.train.Saver().restore(session, path)
    data = tmp_path / "m.data-00000-of-00001"
    data.write_bytes(bytes(12))
    data.write_bytes(b"")
    assert session.run(w).tolist() == fetched.tolist() == [1.0, 2.0, 3.0]
    session.run(w.assign_add([1.0, 1.0, 1.0]))
    fetched += 1.0
    assert session.run(w).tolist() == fetched.tolist() == [2.0, 3.0, 4.0]


def test_a_variable_that_changes_while_it_is_saved_is_whole_pieces(tmp_path: Path) -> None:
    values = np.zeros(3_000_000, np.float32)
    done = threading.Event()

    def change() -> None:
        while not done.is_set():
            np.add(values, 1.0, out=values)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(3):
            write_checkpoint(str(tmp_path / "m"), ["w"], [""], [values])
            tf.train.load_variable(str(tmp_path / "m"), "w")  # its checksum fits
    finally:
        done.set()
        thread.join()


def test_a_lost_data_file_is_told(tmp_path: Path) -> None:
    _, path = saved(tmp_path)
    (tmp_path / "m.data-00000-of-00001").unlink()
    error = restore_error(path)
    assert isinstance(error, tf.errors.NotFoundError)
    assert "m.data-00000-of-00001" in error.message and "tensor: w" in error.message


def test_what_does_not_fit_is_told_with_file_and_variable(tmp_path: Path) -> None:
    _, path = saved(tmp_path)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable([1.0], name="w")
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"m\.index, variable: w"):
            tf.train.Saver().restore(session, path)
        tf.Variable([1.0], name="v")
        with pytest.raises(tf.errors.NotFoundError, match=r"Key v not found.*m\.index"):
            tf.train.Saver().restore(session, path)


def test_a_failed_save_leaves_the_old_checkpoint(tmp_path: Path, monkeypatch: Any) -> None:
    session, path = saved(tmp_path)
    before = {f.name: f.read_bytes() for f in tmp_path.iterdir()}

    def full(*args: Any, **kwargs: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(file_io.os, "replace", full)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left"):
        tf.train.Saver().save(session, path)
    monkeypatch.undo()
    assert {f.name: f.read_bytes() for f in tmp_path.iterdir()} == before
    tf.train.Saver().restore(session, path)


_KILLED = """
import sys, minitf as tf
w = tf.Variable(tf.zeros([300000]), name="w"); up = w.assign_add(tf.ones([300000]))
saver = tf.train.Saver(max_to_keep=3)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(100000):
        saver.save(sess, sys.argv[1] + "/m", global_step=step, write_meta_graph=False)
        sess.run(up)
        print(step, flush=True)
"""


@pytest.mark.parametrize("after", [0.0, 0.003, 0.007])
def test_a_killed_program_leaves_a_whole_checkpoint(tmp_path: Path, after: float) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    ) as program:
        assert program.stdout is not None
        for _ in range(4):
            program.stdout.readline()
        time.sleep(after)
        program.send_signal(signal.SIGKILL)
    newest = tf.train.latest_checkpoint(str(tmp_path))
    assert newest is not None
    step = int(newest.rpartition("-")[2])
    assert step >= 2
    assert (tf.train.load_variable(newest, "w") == step).all()


def test_parts_of_a_variable_are_one_tensor(tmp_path: Path) -> None:
    whole = np.arange(12.0).reshape(4, 3)
    prefix = str(tmp_path / "m")
    write_checkpoint(prefix, ["w", "w"], ["4 3 0,1:-", "4 3 1,3:0,3"], [whole[:1], whole[1:]])
    reader = CheckpointReader(prefix)
    assert reader.get_variable_to_shape_map() == {"w": [4, 3]}
    assert (reader.get_tensor("w") == whole).all()
    (part,) = reader.read(["w"], ["4 3 2,2:1,2"], None)
    assert (part == whole[2:, 1:]).all()
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not match the shape stored"):
        reader.read(["w"], ["5 3 0,1:0,3"], None)
    with pytest.raises(tf.errors.InvalidArgumentError, match="duplicate"):
        write_checkpoint(prefix, ["a", "a"], ["", ""], [whole, whole])


def test_merged_checkpoints_keep_every_part(tmp_path: Path) -> None:
    whole = np.arange(4.0)
    write_checkpoint(str(tmp_path / "t/a"), ["w", "x"], ["4 0,2", ""], [whole[:2], np.int32(1)])
    write_checkpoint(str(tmp_path / "t/b"), ["w", "y"], ["4 2,2", ""], [whole[2:], [b"s"]])
    merge_checkpoints([str(tmp_path / "t/a"), str(tmp_path / "t/b")], str(tmp_path / "m"), True)
    reader = CheckpointReader(str(tmp_path / "m"))
    assert reader.get_tensor("w").tolist() == [0, 1, 2, 3]
    assert reader.get_tensor("x") == 1 and reader.get_tensor("y").tolist() == [b"s"]
    assert sorted(os.listdir(tmp_path)) == [
        "m.data-00000-of-00002",
        "m.data-00001-of-00002",
        "m.index",
    ]


def test_a_merge_leaves_what_another_writer_has_in_the_directory(tmp_path: Path) -> None:
    write_checkpoint(str(tmp_path / "t/a"), ["w"], [""], [np.float32(2)])
    (tmp_path / "t/being-written").touch()  # by a step that was given up meanwhile
    merge_checkpoints([str(tmp_path / "t/a")], str(tmp_path / "m"), True)
    assert CheckpointReader(str(tmp_path / "m")).get_tensor("w") == 2
    assert os.listdir(tmp_path / "t") == ["being-written"]


def test_an_unwritable_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    session, _ = saved(tmp_path)
    with pytest.raises(tf.errors.OpError, match="file"):
        tf.train.Saver().save(session, str(tmp_path / "file" / "m"))


def test_variables_of_a_cluster_are_written_where_they_live(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    server = tf.train.Server.create_local_server()
    try:
        with tf.device("/job:local/task:0"):
            w = tf.Variable([1.0, 2.0], name="w")
        b = tf.Variable(3, name="b")
        saver = tf.train.Saver(sharded=True)
        init = tf.global_variables_initializer()
        with tf.Session(server.target) as session:
            session.run(init)
            path = saver.save(session, str(tmp_path / "m"), global_step=1)
            session.run([w.assign([0.0, 0.0]), b.assign(0)])
            saver.restore(session, path)
            assert session.run(w).tolist() == [1.0, 2.0] and session.run(b) == 3
        assert len(list(tmp_path.glob("*.data-0000?-of-00002"))) == 2
    finally:
        server.stop()


def test_messages_go_to_json_and_back() -> None:
    saver_def = tf.train.Saver([tf.Variable(1.0, name="w")]).as_saver_def()
    again = tf.train.SaverDef()
    again.ParseFromString(saver_def.SerializeToString())
    assert again == saver_def and again.HasField("max_to_keep")
    assert 'restore_op_name: "save/restore_all"' in str(saver_def)
    with pytest.raises(ValueError, match="no field"):
        tf.train.SaverDef.FromString(b'{"other": 1}')
    with pytest.raises(ValueError, match="Expected"):
        tf.train.SaverDef.FromString(b'{"max_to_keep": "many"}')
    with pytest.raises(ValueError, match="no field"):
        saver_def.HasField("other")


def test_waiting_for_checkpoints(tmp_path: Path) -> None:
    session, path = saved(tmp_path)
    seen = list(tf.train.checkpoints_iterator(str(tmp_path), timeout=0))
    assert seen == [path]
    calls = []
    assert not list(
        tf.train.checkpoints_iterator(
            str(tmp_path / "no"), timeout=0, timeout_fn=lambda: calls.append(1) or True
        )
    )
    assert calls == [1]
