"""Data of `tf.contrib.learn`, `tf.contrib.data` and `tf.contrib.lookup`: files, tables, words.

processor = VocabularyProcessor(max_document_length=4)
x = np.array(list(processor.fit_transform(["the cat sat", "the dog"])))
# [[1, 2, 3, 0], [1, 4, 0, 0]]          0 is the unknown word, and fills up
"""

from __future__ import annotations

import csv
import os
import pickle
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.library.datasets.download import fetch
from minitf.library.datasets.load_data import load_boston_housing
from minitf.library.datasets.mnist import load_mnist
from minitf.library.formats.file_io import glob, regular
from minitf.library.input.queues.batching import batch, shuffle_batch, string_input_producer
from minitf.library.parsing.examples import parse_example
from minitf.library.text import lookup as tables

# ---- records of files --------------------------------------------------------------------------


def read_batch_features(
    file_pattern: Any,
    batch_size: int,
    features: dict[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    feature_queue_capacity: int = 100,
    reader_num_threads: int = 1,
    num_enqueue_threads: int = 2,
    parse_fn: Callable | None = None,
    name: str | None = None,
    read_batch_size: int | None = None,
) -> dict[str, Any]:
    """Batches of parsed examples, which a queue holds before they are parsed.

    Args:
      file_pattern: a pattern of files, or a list of them.
      batch_size: how many records a batch has.
      features: by name a `FixedLenFeature`, `VarLenFeature` ..., as for `tf.parse_example`.
      reader: makes a reader, such as the class `tf.TFRecordReader`.
      randomize_input: whether files and records come in random order.
      num_epochs: how often each comes; a last batch may be smaller then. For ever by default.
      queue_capacity: how many records wait.
      reader_num_threads, read_batch_size: how many threads read, and how many records at once.
      feature_queue_capacity, num_enqueue_threads: accepted; examples are parsed as they come.
      parse_fn: changes the records before they wait.
      name: the name scope.
    Raises:
      ValueError: when there are no files, or the sizes do not go together.
    """
    if batch_size <= 0 or batch_size >= queue_capacity:
        raise ValueError(f"Invalid batch_size {batch_size}, with queue_capacity {queue_capacity}.")
    patterns = [file_pattern] if isinstance(file_pattern, str) else file_pattern
    names = [file for each in patterns for file in sorted(glob(each))]
    if not names:
        raise ValueError(f"No files match {file_pattern}.")
    with name_scope(name, "read_batch_examples"):
        files = string_input_producer(names, num_epochs, randomize_input)
        _, records = reader().read_up_to(files, read_batch_size or batch_size)
        options: dict[str, Any] = {
            "capacity": queue_capacity,
            "num_threads": reader_num_threads,
            "enqueue_many": True,
            "allow_smaller_final_batch": num_epochs is not None,
        }
        if randomize_input:
            options["min_after_dequeue"] = queue_capacity // 2
        waiting = [parse_fn(records) if parse_fn else records]
        found = (shuffle_batch if randomize_input else batch)(waiting, batch_size, **options)
    return parse_example(found, features)


# ---- tables of numbers -------------------------------------------------------------------------


class Dataset(NamedTuple):
    """Features with what is to be predicted from them."""

    data: Any
    target: Any


class Datasets(NamedTuple):
    """The three parts of a data set."""

    train: Any
    validation: Any
    test: Any


def load_csv_with_header(
    filename: str, target_dtype: Any, features_dtype: Any, target_column: int = -1
) -> Dataset:
    """Reads a CSV file whose first line holds the numbers of rows and of features.

    Args:
      filename: the file.
      target_dtype, features_dtype: NumPy types.
      target_column: which column is the target.
    """
    with open(filename, newline="", opener=regular) as file:
        rows = csv.reader(file)
        samples, features = (int(n) for n in next(rows)[:2])
        data = np.zeros((samples, features), features_dtype)
        target = np.zeros(samples, target_dtype)
        for i, row in enumerate(rows):
            target[i] = np.asarray(row.pop(target_column), target_dtype)
            data[i] = np.asarray(row, features_dtype)
    return Dataset(data, target)


def load_csv_without_header(
    filename: str, target_dtype: Any, features_dtype: Any, target_column: int = -1
) -> Dataset:
    """Reads a CSV file that holds rows only.

    Args:
      filename: the file.
      target_dtype, features_dtype: NumPy types.
      target_column: which column is the target.
    """
    data, target = [], []
    with open(filename, newline="", opener=regular) as file:
        for row in csv.reader(file):
            target.append(row.pop(target_column))
            data.append(np.asarray(row, features_dtype))
    return Dataset(np.array(data), np.array(target, target_dtype).astype(target_dtype))


def maybe_download(filename: str, work_directory: str, source_url: str) -> str:
    """Downloads a file unless the folder has it.

    Args:
      filename: its name in the folder.
      work_directory: the folder; it is made.
      source_url: the file's address.
    Returns: its path.
    """
    return fetch([source_url], os.path.join(work_directory, filename))


def load_iris(data_path: str | None = None) -> Dataset:
    """The 150 irises: four lengths in cm, and which of three species.

    Args:
      data_path: a CSV file with a header to read instead of scikit-learn's copy.
    Raises:
      ImportError: when scikit-learn is not installed.
    """
    if data_path is not None:
        return load_csv_with_header(data_path, np.int64, np.float64)
    try:
        from sklearn import datasets
    except ImportError:
        raise ImportError(
            "The irises come with scikit-learn, which is not installed: pip install scikit-learn."
        ) from None
    found = datasets.load_iris()
    return Dataset(found.data, found.target)


def load_boston(data_path: str | None = None) -> Dataset:
    """506 suburbs of Boston: 13 features of each, and the median price of a home in 1,000 dollars.

    Args:
      data_path: a CSV file with a header to read instead of Keras's copy.
    Raises:
      DownloadError: when Keras's copy is not there and cannot be fetched.
    """
    if data_path is not None:
        return load_csv_with_header(data_path, np.float64, np.float64)
    return Dataset(*load_boston_housing(test_split=0)[0])


DATASETS = {"iris": load_iris, "boston": load_boston, "mnist": load_mnist}


def load_dataset(name: str, size: str = "small", test_with_fake_data: bool = False) -> Any:
    """Loads a data set by its name.

    Args:
      name: "iris" or "boston", which are a `Dataset`, or "mnist", whose parts are
        `train`, `validation` and `test`.
      size, test_with_fake_data: of TensorFlow's "dbpedia", which is not at hand; not used.
    Raises:
      ValueError: for another name.
    """
    if name not in DATASETS:
        raise ValueError(f"Name of dataset is not found: {name}")
    return DATASETS[name]()


# ---- documents ---------------------------------------------------------------------------------


_WORD = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+")


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """Yields the words of each document."""
    for text in iterator:
        yield _WORD.findall(text)


class CategoricalVocabulary:
    """Gives each category (word) a number, in the order of appearance.

    Args:
      unknown_token: the category with the number 0.
    """

    def __init__(self, unknown_token: str = "<UNK>") -> None:
        self._unknown_token = unknown_token
        self._mapping: dict[Any, int] = {unknown_token: 0}
        self._freq: dict[Any, int] = defaultdict(int)
        self._freeze = False

    def __len__(self) -> int:
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """Takes no more categories from here on, or takes them again."""
        self._freeze = freeze

    def get(self, category: Any) -> int:
        """The number of a category; a new one gets the next, or 0 when the vocabulary is frozen."""
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._mapping[category] = len(self._mapping)
        return self._mapping[category]

    def add(self, category: Any, count: int = 1) -> None:
        """Counts a category."""
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency: int) -> None:
        """Keeps what was counted more than `min_frequency` times, and renumbers, frequent first.

        Args:
          min_frequency: what was not counted more often goes.
        """
        by_name = sorted(self._freq.items(), key=lambda item: (isinstance(item[0], str), item[0]))
        ranked = sorted(by_name, key=lambda item: -item[1])
        kept = [(category, count) for category, count in ranked if count > min_frequency]
        names = [self._unknown_token, *(category for category, _ in kept)]
        self._mapping = {category: i for i, category in enumerate(names)}
        self._freq = defaultdict(int, kept)


class VocabularyProcessor:
    """Turns documents into rows of word numbers.

    Args:
      max_document_length: the length of a row; longer documents are cut, shorter ones get zeros.
      min_frequency: words that are not more frequent are unknown.
      vocabulary: a `CategoricalVocabulary`; a new one by default.
      tokenizer_fn: from documents to lists of words.
    """

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: CategoricalVocabulary | None = None,
        tokenizer_fn: Callable | None = None,
    ) -> None:
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[str], unused_y: Any = None) -> VocabularyProcessor:
        """Learns the words of the documents; later ones are unknown."""
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def transform(self, raw_documents: Iterable[str]) -> Iterator[np.ndarray]:
        """Yields a row [max_document_length] of int64 for each document."""
        for tokens in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            numbers = [self.vocabulary_.get(t) for t in tokens[: self.max_document_length]]
            row[: len(numbers)] = numbers
            yield row

    def fit_transform(
        self, raw_documents: Iterable[str], unused_y: Any = None
    ) -> Iterator[np.ndarray]:
        """`fit`, then `transform`."""
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def save(self, filename: str) -> None:
        """Writes this processor to a file."""
        with open(filename, "wb") as file:
            pickle.dump(self, file)

    @classmethod
    def restore(cls, filename: str) -> Any:
        """Reads what `save` wrote. Such a file can hold any code: read only one's own."""
        with open(filename, "rb", opener=regular) as file:
            return pickle.load(file)


# ---- datasets and lookup tables ----------------------------------------------------------------


# ---- datasets ------------------------------------------------------------------------------------


def batch_and_drop_remainder(batch_size: Any) -> Callable[[Any], Any]:
    """Batches, without a last one that is smaller."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


# ---- tables --------------------------------------------------------------------------------------


def _given(mapping: Any) -> Any:
    if mapping is None:
        raise ValueError("mapping must be specified.")
    return mapping


def index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    dtype: Any = dtypes.string,
    name: str | None = None,
) -> Any:
    """A table from the words of a vector to their places.

    Args:
      mapping: the vector.
      num_oov_buckets, default_value, dtype, name: see `index_table_from_tensor` of
        library/text/lookup.py.
    """
    return tables.index_table_from_tensor(
        _given(mapping), num_oov_buckets, default_value, dtype, name
    )


def index_to_string_table_from_tensor(
    mapping: Any, default_value: str = "UNK", name: str | None = None
) -> Any:
    """A table from places to the words of a vector."""
    return tables.index_to_string_table_from_tensor(_given(mapping), default_value, name)


string_to_index_table_from_tensor = index_table_from_tensor


def index_to_string(
    tensor: Any, mapping: Any, default_value: str = "UNK", name: str | None = None
) -> Tensor:
    """The words at places of a vector; the table must be initialized."""
    return index_to_string_table_from_tensor(mapping, default_value, name).lookup(tensor)
