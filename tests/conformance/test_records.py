"""Records of examples go from TensorFlow to minitf and back, compressed or not."""

from pathlib import Path

import numpy as np
import pytest

import minitf
from tests.conformance.oracle import Oracle
from tests.conformance.runner import run_case

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"]),
]

_WRITES = """
feature = tf.train.Feature
with tf.python_io.TFRecordWriter(path, tf.python_io.TFRecordOptions(kind)) as writer:
    for i in range(100):
        writer.write(tf.train.Example(features=tf.train.Features(feature={
            "n": feature(int64_list=tf.train.Int64List(value=[i, -i])),
            "x": feature(float_list=tf.train.FloatList(value=[i / 4])),
            "s": feature(bytes_list=tf.train.BytesList(value=[b"w" * i])),
        })).SerializeToString())
"""
_READS = """
records = list(tf.python_io.tf_record_iterator(path, tf.python_io.TFRecordOptions(kind)))
show(**run(tf.parse_example(records, {
    "n": tf.FixedLenFeature([2], tf.int64), "x": tf.FixedLenFeature([], tf.float32),
    "s": tf.FixedLenFeature([], tf.string)})))
"""


def program(text: str, path: Path, kind: str) -> str:
    return f"path, kind = {str(path)!r}, {kind or None!r}\n{text}"


def read(answer: dict) -> dict[str, list]:
    assert answer["error"] is None
    return {name: value["data"] for name, value in answer["shown"].items()}


WANTED = {
    "n": [[i, -i] for i in range(100)],
    "x": (np.arange(100) / 4).tolist(),
    "s": ["w" * i for i in range(100)],
}


def test_tensorflow_reads_what_is_written_here(oracle: Oracle, tmp_path: Path, kind: str) -> None:
    run_case(minitf, program(_WRITES, tmp_path / "here", kind))
    assert read(oracle.ask(program(_READS, tmp_path / "here", kind))) == WANTED


def test_what_tensorflow_wrote_is_read_here(oracle: Oracle, tmp_path: Path, kind: str) -> None:
    oracle.ask(program(_WRITES, tmp_path / "there", kind))
    assert read(run_case(minitf, program(_READS, tmp_path / "there", kind))) == WANTED
