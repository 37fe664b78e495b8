"""The ready data sets: what each one is, where it comes from, and how it is read.

Those of scikit-learn come with that package and need no network; their names of columns and classes
are known when it is installed. The others are fetched; `files.py` says from where.
"""

from __future__ import annotations

import os
import tarfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.library.datasets import load_data
from minitf.library.datasets.files import Store
from minitf.library.datasets.info import ClassLabel, FeaturesDict, Image, Tensor, Text

#: By split, by feature, an array with a row an example.
Arrays = dict[str, dict[str, np.ndarray]]


@dataclass(frozen=True)
class Entry:
    """A data set: what is known of it, and how its files are read.

    read: takes the folder of the files, and fetches what is not there.
    features: of an example; a function, since some are known by their package only.
    supervised: which feature is given, and which is to be found.
    examples: by split how many there are.
    """

    name: str
    read: Callable[[Store], Arrays]
    features: Callable[[], FeaturesDict]
    supervised: tuple[str, str]
    examples: Mapping[str, int]
    description: str
    homepage: str
    citation: str


#: The reader, the features, which of them is given and which wanted, and the sizes.
Made = tuple[Any, Any, str, dict[str, int]]

_FASHION = "T-shirt/top,Trouser,Pullover,Dress,Coat,Sandal,Shirt,Sneaker,Bag,Ankle boot".split(",")
_CIFAR10 = "airplane automobile bird cat deer dog frog horse ship truck".split()
_HOUSING = "CRIM ZN INDUS CHAS NOX RM AGE DIS RAD TAX PTRATIO B LSTAT".split()


# ---- with scikit-learn --------------------------------------------------------------------------


def _bundled(name: str) -> Any:
    """What scikit-learn has under a name.

    Raises:
      ImportError: when it is not installed.
    """
    try:
        from sklearn import datasets
    except ImportError:
        raise ImportError(
            f"The data set {name} comes with scikit-learn, which is not installed: "
            "pip install scikit-learn."
        ) from None
    return getattr(datasets, f"load_{name}")()


def _table_features(name: str, target: str) -> FeaturesDict:
    found = _bundled(name)
    names = [str(column) for column in found.feature_names]
    given = Tensor(shape=(len(names),), dtype=dtypes.float32, names=names)
    if target == "target":
        return FeaturesDict(features=given, target=Tensor(shape=(), dtype=dtypes.float32))
    return FeaturesDict(features=given, label=ClassLabel(names=found.target_names))


def _table(name: str, target: str, store: Store) -> Arrays:
    found = _bundled(name)
    kind = np.float32 if target == "target" else np.int64
    return {"train": {"features": found.data.astype(np.float32), target: found.target.astype(kind)}}


def _digits(store: Store) -> Arrays:
    found = _bundled("digits")
    images = found.images[..., None].astype(np.uint8)
    return {"train": {"image": images, "label": found.target.astype(np.int64)}}


# ---- fetched ------------------------------------------------------------------------------------


def _pairs(load: Callable[..., Any], given: str) -> Callable[[Store], Arrays]:
    """The reader of a set that Keras has: two arrays for training, and two for the test."""

    def read(store: Store) -> Arrays:
        parts = zip(("train", "test"), load(store=store))
        return {split: {given: _images(x), "label": _labels(y)} for split, (x, y) in parts}

    return read


def _images(given: np.ndarray) -> np.ndarray:
    """Pictures of one colour get an axis for it."""
    return given[..., None] if given.dtype == np.uint8 and given.ndim == 3 else given


def _labels(labels: np.ndarray) -> np.ndarray:
    if labels.dtype.kind == "f":
        return labels.astype(np.float32)
    return labels.reshape(len(labels)).astype(np.int64)


def _boston(store: Store) -> Arrays:
    (features, prices), _ = load_data.load_boston_housing(test_split=0, store=store)
    return {"train": {"features": features.astype(np.float32), "target": _labels(prices)}}


def _reviews(store: Store) -> Arrays:
    """The texts in Stanford's archive: aclImdb/train/pos/0_9.txt and so on, 100,000 of them."""
    found: dict[str, tuple[list, list]] = {}
    with tarfile.open(store.get("aclImdb_v1.tar.gz")) as archive:
        for member in archive:
            split, _, kind = os.path.dirname(member.name).partition("/")[2].partition("/")
            label = {"neg": 0, "pos": 1, "unsup": -1}.get(kind)
            file = archive.extractfile(member) if label is not None else None
            if file is None or label is None:
                continue
            texts, labels = found.setdefault("unsupervised" if label < 0 else split, ([], []))
            texts.append(file.read())
            labels.append(label)
    return {
        split: {"text": np.array(texts, object), "label": np.array(labels, np.int64)}
        for split, (texts, labels) in found.items()
    }


def _pictures(size: int, colours: int, **labels: Any) -> Callable[[], FeaturesDict]:
    """Features: a picture, and labels of so many or such classes."""

    def features() -> FeaturesDict:
        kinds = {
            name: ClassLabel(num_classes=of) if isinstance(of, int) else ClassLabel(names=of)
            for name, of in labels.items()
        }
        return FeaturesDict(image=Image(shape=(size, size, colours)), **kinds)

    return features


#: By paragraph: the name, what it is, where it is described, and who made it.
_ABOUT = """
iris
Lengths and widths of the flowers of 150 irises of three species, in cm.
https://archive.ics.uci.edu/dataset/53/iris
R. A. Fisher. The use of multiple measurements in taxonomic problems. Annals of Eugenics, 1936.

wine
Thirteen chemical measurements of 178 wines from three growers of one region.
https://archive.ics.uci.edu/dataset/109/wine
M. Forina and others. PARVUS: An extendible package for data exploration. Genoa, 1988.

breast_cancer
Thirty measurements of the cell nuclei in 569 samples, and whether they were malignant.
https://archive.ics.uci.edu/dataset/17/breast+cancer+wisconsin+diagnostic
W. N. Street, W. H. Wolberg, O. L. Mangasarian. Nuclear feature extraction. 1993.

diabetes
Ten measurements of 442 patients, and how far the disease had gone a year later.
https://www4.stat.ncsu.edu/~boos/var.select/diabetes.html
B. Efron, T. Hastie, I. Johnstone, R. Tibshirani. Least angle regression. 2004.

digits
Handwritten digits of 43 writers, 8x8 pixels of 0..16.
https://archive.ics.uci.edu/dataset/80/optical+recognition+of+handwritten+digits
E. Alpaydin, C. Kaynak. Optical recognition of handwritten digits. 1998.

mnist
Handwritten digits, 28x28 pixels.
http://yann.lecun.com/exdb/mnist/
Y. LeCun, C. Cortes, C. J. Burges. MNIST handwritten digit database. ATT Labs, 2010.

fashion_mnist
Articles of clothing from Zalando's pictures, 28x28 pixels.
https://github.com/zalandoresearch/fashion-mnist
H. Xiao, K. Rasul, R. Vollgraf. Fashion-MNIST: a novel image dataset. arXiv:1708.07747, 2017.

cifar10
Photographs of ten kinds of things, 32x32 pixels.
https://www.cs.toronto.edu/~kriz/cifar.html
A. Krizhevsky. Learning multiple layers of features from tiny images. Toronto, 2009.

imdb_reviews
Reviews of films, and whether they praise; those without a judgment have the label -1.
https://ai.stanford.edu/~amaas/data/sentiment/
A. L. Maas and others. Learning word vectors for sentiment analysis. ACL, 2011.

boston_housing
Prices of homes in the suburbs of Boston. Its column "B" takes origins for a reason of prices.
http://lib.stat.cmu.edu/datasets/boston
D. Harrison, D. L. Rubinfeld. Hedonic housing prices and the demand for clean air. 1978.
"""


def _homes() -> FeaturesDict:
    given = Tensor(shape=(13,), dtype=dtypes.float32, names=_HOUSING)
    return FeaturesDict(features=given, target=Tensor(shape=(), dtype=dtypes.float32))


def _opinions() -> FeaturesDict:
    return FeaturesDict(text=Text(), label=ClassLabel(names=["neg", "pos"]))


_MNIST = {"train": 60_000, "test": 10_000}
_CIFAR = {"train": 50_000, "test": 10_000}
_IMDB = {"train": 25_000, "test": 25_000, "unsupervised": 50_000}


def _measured(name: str, wanted: str, size: int) -> Made:
    """A table of scikit-learn."""
    read, features = partial(_table, name, wanted), partial(_table_features, name, wanted)
    return read, features, f"features {wanted}", {"train": size}


def _seen(load: Any, sizes: dict[str, int], *shape: int, **labels: Any) -> Made:
    """Pictures, each with a label."""
    return _pairs(load, "image"), _pictures(*shape, **labels), "image label", sizes


_MADE: dict[str, Made] = {
    "iris": _measured("iris", "label", 150),
    "wine": _measured("wine", "label", 178),
    "breast_cancer": _measured("breast_cancer", "label", 569),
    "diabetes": _measured("diabetes", "target", 442),
    "digits": (_digits, _pictures(8, 1, label=10), "image label", {"train": 1797}),
    "mnist": _seen(load_data.load_mnist, _MNIST, 28, 1, label=10),
    "fashion_mnist": _seen(load_data.load_fashion_mnist, _MNIST, 28, 1, label=_FASHION),
    "cifar10": _seen(load_data.load_cifar10, _CIFAR, 32, 3, label=_CIFAR10),
    "imdb_reviews": (_reviews, _opinions, "text label", _IMDB),
    "boston_housing": (_boston, _homes, "features target", {"train": 506}),
}


def _entries() -> Iterator[Entry]:
    for paragraph in _ABOUT.strip().split("\n\n"):
        name, what, page, source = paragraph.splitlines()
        read, features, pair, sizes = _MADE[name]
        given, wanted = pair.split()
        yield Entry(name, read, features, (given, wanted), sizes, what, page, source)


#: By name the data sets.
ENTRIES = {entry.name: entry for entry in _entries()}
