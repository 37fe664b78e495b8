"""Input pipelines: one element of each is a batch of 128, which the session fetches.

The data repeat without end, so that a sample never meets the end of a pass.
"""

import importlib.util
import itertools
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench.case import Case, Library, Sample

_BATCH = 128

#: only where PyTorch is there: nothing else here needs it
_BESIDE_TORCH = (
    Case(
        "pipeline: the same, beside PyTorch's DataLoader",
        "pipelines",
        build="from_memory",
        peer="plain",
        peer_build="torch_loader",
        threads=None,
    ),
)

CASES = (
    Case(
        "pipeline: shuffle, map, batch, prefetch; 100,000 x 784",
        "pipelines",
        build="from_memory",
        wanted=15.0,
        threads=None,
        bound="56 us to gather 128 random rows of 313 MB, 12 to scale them, then the labels and a "
        "switch to the prefetching thread.",
    ),
    *(_BESIDE_TORCH if importlib.util.find_spec("torch") else ()),
    Case(
        "pipeline: read TFRecords of 784 bytes, parse, batch",
        "pipelines",
        build="from_records",
        wanted=5.0,
        threads=None,
        bound="For a batch of 128, reading and checksums take 280 us of processor time, parsing "
        "180, decoding and scaling 110.",
    ),
    Case(
        "pipeline: interleave 16 files of records, batch",
        "pipelines",
        build="interleaved",
        wanted=1.5,
        threads=None,
    ),
)


class Passes:
    """Asks for one batch after the other; a single call means nothing where threads work ahead."""

    def __init__(self, ask: Callable[[], object]) -> None:
        self._ask = ask
        for _ in range(20):
            ask()

    def sample(self, seconds: float) -> Sample:
        """The time of a batch, over all batches that were had."""
        steps, start, cpu = 0, time.perf_counter(), time.process_time()
        while (passed := time.perf_counter() - start) < seconds:
            self._ask()
            steps += 1
        return Sample(passed / steps, (time.process_time() - cpu) / steps, steps)


def _folder(library: Library) -> Path:
    folder = tempfile.TemporaryDirectory(prefix="minitf-bench-")
    library.closing.append(folder.cleanup)
    return Path(folder.name)


def _batches(library: Library, dataset: Any, feeds: Any = None) -> Passes:
    iterator = library.tf.data.make_initializable_iterator(dataset)
    element = iterator.get_next()
    session = library.session()
    session.run(iterator.initializer, feeds)
    return Passes(lambda: session.run(element))


def from_memory(library: Library) -> Passes:
    """Images out of memory, each cast and scaled, with its label one-hot."""
    tf = library.tf
    images = np.random.default_rng(0).random((100_000, 784), np.float32)
    labels = np.arange(len(images)) % 10
    given = tf.placeholder(tf.float32, images.shape), tf.placeholder(tf.int64, labels.shape)
    dataset = tf.data.Dataset.from_tensor_slices(given).shuffle(10_000).repeat()
    dataset = dataset.map(lambda x, y: ((x - 0.5) / 0.25, tf.one_hot(y, 10)))
    feeds = dict(zip(given, (images, labels), strict=True))
    return _batches(library, dataset.batch(_BATCH).prefetch(2), feeds)


def torch_loader(library: Library) -> Passes:
    """The same with PyTorch's DataLoader, in the process that asks."""
    torch = importlib.import_module("torch")
    images = torch.rand(100_000, 784)
    labels = torch.arange(len(images)) % 10

    def scaled(pairs: list) -> tuple:
        x, y = (torch.stack(column) for column in zip(*pairs, strict=True))
        return (x - 0.5) / 0.25, torch.nn.functional.one_hot(y, 10)

    data = torch.utils.data.TensorDataset(images, labels)
    loader = torch.utils.data.DataLoader(data, _BATCH, shuffle=True, collate_fn=scaled)
    batches: Iterator = itertools.chain.from_iterable(itertools.repeat(loader))
    return Passes(lambda: next(batches))


def from_records(library: Library) -> Passes:
    """Examples with an image as bytes and a label, parsed one by one as most programs do."""
    tf = library.tf
    path = _folder(library) / "examples.tfrecord"
    rng = np.random.default_rng(0)
    with tf.python_io.TFRecordWriter(str(path)) as writer:
        for i in range(20_000):
            image = tf.train.BytesList(value=[rng.bytes(784)])
            label = tf.train.Int64List(value=[i % 10])
            feature = {
                "image": tf.train.Feature(bytes_list=image),
                "label": tf.train.Feature(int64_list=label),
            }
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            writer.write(example.SerializeToString())

    def parse(serialized: Any) -> tuple:
        features = {
            "image": tf.FixedLenFeature([], tf.string),
            "label": tf.FixedLenFeature([], tf.int64),
        }
        found = tf.parse_single_example(serialized, features)
        image = tf.reshape(tf.decode_raw(found["image"], tf.uint8), [784])
        return tf.cast(image, tf.float32) / 255.0, found["label"]

    dataset = tf.data.TFRecordDataset(str(path)).repeat().map(parse)
    return _batches(library, dataset.batch(_BATCH).prefetch(2))


def interleaved(library: Library) -> Passes:
    """Records of 784 bytes out of sixteen files, in turns."""
    tf = library.tf
    folder = _folder(library)
    paths = [str(folder / f"part{i}.tfrecord") for i in range(16)]
    rng = np.random.default_rng(0)
    for path in paths:
        with tf.python_io.TFRecordWriter(path) as writer:
            for _ in range(3_000):
                writer.write(rng.bytes(784))
    files = tf.data.Dataset.from_tensor_slices(paths).repeat()
    dataset = files.interleave(
        tf.data.TFRecordDataset, cycle_length=16, num_parallel_calls=tf.data.experimental.AUTOTUNE
    )
    return _batches(library, dataset.batch(_BATCH).prefetch(2))
