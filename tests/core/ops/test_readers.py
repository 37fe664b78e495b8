"""Readers and files: what steps read from files whose names come out of a queue."""

import contextlib
import gc
import itertools
import struct
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.library.formats.lmdb_file import read_lmdb
from tests.lmdb_files import write


def all_of(tensors: Any, *extra: Any) -> tuple[list, list]:
    """What a pipeline gives until its data end, and the values of `extra` then."""
    found = []
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            while True:
                found.append(sess.run(tensors))
        except tf.errors.OutOfRangeError:
            counts = sess.run(list(extra))
        finally:
            coord.request_stop()
            coord.join(threads)
    return found, counts


def files(*paths: Path) -> tf.QueueBase:
    return tf.train.string_input_producer([str(p) for p in paths], num_epochs=1, shuffle=False)


@pytest.fixture
def texts(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / name for name in ("a.txt", "empty.txt", "b.txt")]
    for path, content in zip(paths, [b"h1\none\n\ntwo", b"", b"h2\r\nx\r\n"], strict=True):
        path.write_bytes(content)
    return paths


def test_lines_with_their_numbers(texts: list[Path]) -> None:
    reader = tf.TextLineReader(skip_header_lines=1)
    kv = reader.read(files(*texts))
    got, counts = all_of(kv, reader.num_records_produced(), reader.num_work_units_completed())
    a, _, b = (str(path).encode() for path in texts)
    assert [v for _, v in got] == [b"one", b"", b"two", b"x"]
    assert [k for k, _ in got] == [a + b":2", a + b":3", a + b":4", b + b":2"]
    assert counts == [4, 3]


def test_several_lines_at_once_never_span_files(texts: list[Path]) -> None:
    keys, values = tf.TextLineReader().read_up_to(files(*texts), 3)
    got, _ = all_of([keys, values])
    assert [v.tolist() for _, v in got] == [[b"h1", b"one", b""], [b"two"], [b"h2", b"x"]]


def test_whole_files_and_their_names(texts: list[Path]) -> None:
    got, _ = all_of(tf.WholeFileReader().read(files(*texts)))
    assert [v for _, v in got] == [path.read_bytes() for path in texts]
    with tf.Graph().as_default():
        got, _ = all_of(tf.IdentityReader().read(files(*texts)))
        assert [v for _, v in got] == [str(path).encode() for path in texts]


def test_pieces_of_one_length(tmp_path: Path) -> None:
    path = tmp_path / "f.bin"
    path.write_bytes(b"HEAD" + bytes(range(10)) + b"END")
    got, _ = all_of(tf.FixedLengthRecordReader(3, 4, 3).read(files(path)))
    assert [v for _, v in got] == [bytes(range(i, i + 3)) for i in (0, 3, 6)]
    assert got[2][0] == str(path).encode() + b":2"
    with tf.Graph().as_default():
        reader = tf.FixedLengthRecordReader(2, header_bytes=4, hop_bytes=5)
        got, _ = all_of(reader.read(files(path)))
        assert [v for _, v in got] == [b"\x00\x01", b"\x05\x06", b"EN"]


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_records(tmp_path: Path, compression: str) -> None:
    paths = [tmp_path / "one.tfrecord", tmp_path / "two.tfrecord"]
    options = tf.python_io.TFRecordOptions(compression)
    for path in paths:
        with tf.python_io.TFRecordWriter(str(path), options) as writer:
            for i in range(3):
                writer.write(f"{path.stem}{i}".encode())
    got, _ = all_of(tf.TFRecordReader(options=options).read(files(*paths)))
    assert [v for _, v in got] == [f"{p.stem}{i}".encode() for p in paths for i in range(3)]
    assert got[1][0] == f"{paths[0]}:20".encode()


def test_reset_goes_to_the_next_file(texts: list[Path]) -> None:
    reader = tf.TextLineReader()
    value = reader.read(files(texts[0], texts[2])).value
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        assert sess.run(value) == b"h1"
        sess.run(reader.reset())
        assert sess.run(reader.num_records_produced()) == 0
        assert sess.run(value) == b"h2"
        coord.request_stop()
        coord.join(threads)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    value = tf.TextLineReader().read(files(missing)).value
    with pytest.raises(tf.errors.NotFoundError, match="missing; No such file or directory"):
        all_of(value)


def test_csv_from_files_in_batches(tmp_path: Path) -> None:
    """The whole way: names, lines, columns, batches."""
    for part in range(2):
        rows = [f"{10 * part + i},{i / 2},w{i}" for i in range(5)]
        (tmp_path / f"{part}.csv").write_text("\n".join(["id,half,word", *rows]) + "\n")
    names = tf.train.match_filenames_once(str(tmp_path / "*.csv"))
    queue = tf.train.string_input_producer(names, num_epochs=1, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half, word = tf.decode_csv(line, record_defaults=[[0], [0.0], [""]])
    batch = tf.train.batch([number, half, word], batch_size=4, allow_smaller_final_batch=True)
    got, _ = all_of(batch)
    ids, halves, words = (np.concatenate(column) for column in zip(*got, strict=True))
    assert ids.tolist() == [0, 1, 2, 3, 4, 10, 11, 12, 13, 14]
    np.testing.assert_allclose(halves, [0, 0.5, 1, 1.5, 2] * 2)
    assert words[3] == b"w3"


def test_read_write_match(tmp_path: Path) -> None:
    path = str(tmp_path / "new" / "file.txt")
    with tf.Session() as sess:
        sess.run(tf.write_file(path, "content"))
        assert sess.run(tf.read_file(path)) == b"content"
        assert sess.run(tf.matching_files([path, path + "x"])).tolist() == [path.encode()]
        with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
            sess.run(tf.read_file(path + "x"))
        with pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
            sess.run(tf.read_file(str(tmp_path)))


# ---- databases of LMDB -------------------------------------------------------------------------


def test_records_of_a_database_come_sorted(tmp_path: Path) -> None:
    paths = [Path(write(name, tmp_path / name)) for name in ("small", "none", "deep")]
    reader = tf.LMDBReader()
    found, counts = all_of(reader.read(files(*paths)), reader.num_records_produced())
    keys = [key for key, _ in found]
    assert keys == [b"a", b"b", b"c", *(b"k%03d" % n for n in range(120)), b"large"]
    assert [value for _, value in found[:3]] == [b"one", b"two", b""]
    assert {value for _, value in found[3:-1]} == {b"x" * 90}
    assert (found[-1][1], counts) == (b"y" * 9000, [124])


def test_a_database_may_be_a_folder(tmp_path: Path) -> None:
    write("small", tmp_path / "data.mdb")
    assert [key for key, _ in read_lmdb(str(tmp_path))] == [b"a", b"b", b"c"]


def test_a_torn_database_is_told_from_its_end(tmp_path: Path) -> None:
    path = Path(write("deep", tmp_path / "deep"))
    whole = path.read_bytes()
    for size in (0, 100, 5000, 9000, len(whole) // 2, len(whole) - 4096):
        path.write_bytes(whole[:size])
        with pytest.raises(tf.errors.DataLossError):
            list(read_lmdb(str(path)))
    rng = np.random.default_rng(0)
    for _ in range(200):  # whatever the bytes are, it ends, with records or in these words
        torn = bytearray(whole)
        for place in rng.integers(0, len(whole), 20):
            torn[place] = rng.integers(256)
        path.write_bytes(torn)
        with contextlib.suppress(tf.errors.DataLossError):
            list(itertools.islice(read_lmdb(str(path)), 10_000))


def _page(kind: int, *nodes: bytes, number: int = 0, free: int | None = None) -> bytes:
    """A page of 4,096 bytes: kind 1 is a branch, 2 a leaf."""
    begin = 16 + 2 * len(nodes) if free is None else free
    page = bytearray(struct.pack("<QHHHH", number, 0, kind, begin, 4096).ljust(4096, b"\0"))
    end = 4096
    for place, node in enumerate(nodes):
        end -= len(node)
        page[end : end + len(node)] = node
        struct.pack_into("<H", page, 16 + 2 * place, end)
    return bytes(page)


@pytest.mark.parametrize("free", [0, 3, 15, 60_000])
def test_a_page_whose_free_space_is_nonsense(free: int, tmp_path: Path) -> None:
    path = Path(write("small", tmp_path / "small"))
    metas = path.read_bytes()[:8192]
    path.write_bytes(metas + _page(2, free=free) * 4)
    with pytest.raises(tf.errors.DataLossError, match=str(path)):
        list(read_lmdb(str(path)))


def test_pages_that_lead_to_one_page_again_and_again(tmp_path: Path) -> None:
    path = Path(write("small", tmp_path / "small"))
    metas = path.read_bytes()[:8192]
    branches = [
        _page(1, *[struct.pack("<HHHH", n + 1, 0, 0, 0)] * 100, number=n) for n in range(2, 20)
    ]
    path.write_bytes(metas + b"".join(branches) + _page(2, number=20))
    with pytest.raises(tf.errors.DataLossError, match=str(path)):
        list(read_lmdb(str(path)))


def test_what_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"no database at all" * 1000)
    with pytest.raises(tf.errors.DataLossError, match="no LMDB database"):
        read_lmdb(str(path))
    with pytest.raises(tf.errors.NotFoundError):
        read_lmdb(str(tmp_path / "none"))


# ---- RecordInput -------------------------------------------------------------------------


def record_files(folder: Path, count: int, each: int) -> str:
    for i in range(count):
        with tf.python_io.TFRecordWriter(str(folder / f"part-{i}")) as writer:
            for j in range(each):
                writer.write(b"%d-%d" % (i, j))
    return str(folder / "part-*")


@pytest.mark.parametrize("parallelism", [1, 3])
def test_record_input_gives_each_epoch_once_in_another_order(
    tmp_path: Path, parallelism: int
) -> None:
    pattern = record_files(tmp_path, 4, 5)
    records = tf.contrib.framework.RecordInput(
        pattern, batch_size=5, buffer_size=10, parallelism=parallelism, shift_ratio=0.5, seed=7
    ).get_yield_op()
    with tf.Session() as sess:
        epochs = [[r for _ in range(4) for r in sess.run(records)] for _ in range(3)]
    everything = sorted(b"%d-%d" % (i, j) for i in range(4) for j in range(5))
    assert [sorted(epoch) for epoch in epochs] == [everything] * 3
    assert len({tuple(epoch) for epoch in epochs}) == 3


def test_record_input_of_one_place_hands_over_the_last_of_a_piece_first(tmp_path: Path) -> None:
    made = tf.contrib.framework.RecordInput(record_files(tmp_path, 1, 4), batch_size=2, batches=2)
    first, second = made.get_yield_op()
    assert first[0].shape.as_list() == []
    with tf.Session() as sess:
        assert sess.run([first, second]) == [[b"0-3", b"0-1"], [b"0-2", b"0-0"]]


def test_record_input_says_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "torn").write_bytes(b"no records at all")
    with tf.Session() as sess:
        nothing = tf.contrib.framework.RecordInput(f"{tmp_path}/x*,{tmp_path}/y*").get_yield_op()
        with pytest.raises(tf.errors.NotFoundError, match="Found no files at .*/x.,"):
            sess.run(nothing)
        torn = tf.contrib.framework.RecordInput(f"{tmp_path}/torn").get_yield_op()
        for _ in range(2):
            with pytest.raises(tf.errors.DataLossError, match="corrupted record at 0"):
                sess.run(torn)


def test_threads_of_record_input_end_with_their_session(tmp_path: Path) -> None:
    records = tf.contrib.framework.RecordInput(record_files(tmp_path, 1, 4)).get_yield_op()

    before = set(threading.enumerate())
    with tf.Session() as sess:
        sess.run(records)
        made = [t for t in set(threading.enumerate()) - before if t.name == "minitf-records"]
        assert made
    del sess
    gc.collect()
    for thread in made:
        thread.join(timeout=5.0)
        assert not thread.is_alive()
