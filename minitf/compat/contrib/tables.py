"""Small tables as `tf.contrib.learn.datasets` has them: CSV files, and sets by name."""

from __future__ import annotations

import csv
import os
from typing import Any, NamedTuple

import numpy as np

from minitf.library.datasets.download import fetch
from minitf.library.datasets.load_data import load_boston_housing
from minitf.library.datasets.mnist import load_mnist
from minitf.library.formats.file_io import regular


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
