"""Small tables as `tf.contrib.learn.datasets` has them: CSV files, and Fisher's irises."""

from __future__ import annotations

import csv
import os
from typing import Any, NamedTuple

import numpy as np

from minitf.library.datasets.download import fetch


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
    with open(filename, newline="") as file:
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
    with open(filename, newline="") as file:
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


def load_dataset(name: str, size: str = "small", test_with_fake_data: bool = False) -> Dataset:
    """Loads a data set by its name.

    Args:
      name: "iris"; others of TensorFlow's are not at hand.
      size, test_with_fake_data: of its text data sets; not used.
    Raises:
      ValueError: for another name.
    """
    if name != "iris":
        raise ValueError(f"Name of dataset is not found: {name}; minitf has iris.")
    return load_iris()
