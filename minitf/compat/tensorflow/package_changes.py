"""What packages lack of the names that they had in 2016 to 2019; old_packages.py says when."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from minitf.compat.tensorflow.old_packages import add_names, renamed
from minitf.core.graph import dtypes
from minitf.library.datasets.load_data import load_boston_housing
from minitf.library.datasets.mnist import read_data_sets
from minitf.library.platform.flags import FLAGS, join

# ---- pictures: scipy.misc, Pillow ----------------------------------------------------------------


def _bytescale(
    data: Any, cmin: Any = None, cmax: Any = None, high: int = 255, low: int = 0
) -> np.ndarray:
    data = np.asarray(data)
    if data.dtype == np.uint8:
        return data
    cmin, cmax = data.min() if cmin is None else cmin, data.max() if cmax is None else cmax
    scaled = (data - float(cmin)) * ((high - low) / ((cmax - cmin) or 1.0)) + low
    return (scaled.clip(low, high) + 0.5).astype(np.uint8)


def _toimage(
    arr: Any,
    high: int = 255,
    low: int = 0,
    cmin: Any = None,
    cmax: Any = None,
    pal: Any = None,
    mode: Any = None,
    channel_axis: Any = None,
) -> Any:
    from PIL import Image

    arr = np.asarray(arr)
    if mode == "F":
        return Image.fromarray(arr.astype(np.float32))
    if arr.ndim == 3:
        sizes = [size in (3, 4) for size in arr.shape]
        arr = np.moveaxis(
            arr,
            channel_axis if channel_axis is not None else (2 if sizes[2] else sizes.index(True)),
            2,
        )
    image = Image.fromarray(_bytescale(arr, cmin, cmax, high, low))
    return image if mode is None else image.convert(mode)


def _imread(name: Any, flatten: bool = False, mode: str | None = None) -> np.ndarray:
    from PIL import Image

    image: Any = Image.open(name)
    if mode is None and image.mode == "P":
        mode = "RGBA" if "transparency" in image.info else "RGB"
    image = image.convert("F" if flatten else mode or image.mode)
    return np.array(image, np.uint8 if image.mode == "1" else None)


def _imresize(arr: Any, size: Any, interp: str = "bilinear", mode: str | None = None) -> np.ndarray:
    from PIL import Image

    image = _toimage(arr, mode=mode)
    if isinstance(size, (int, np.integer, float)):
        part = size if isinstance(size, float) else size / 100.0
        size = tuple(int(n * part) for n in image.size)[::-1]
    resample = getattr(Image.Resampling, {"cubic": "BICUBIC"}.get(interp, interp.upper()))
    return np.array(image.resize((int(size[1]), int(size[0])), resample))


def _change_scipy_misc(misc: Any) -> None:
    special = importlib.import_module("scipy.special")
    add_names(
        misc,
        imread=_imread,
        imresize=_imresize,
        toimage=_toimage,
        bytescale=_bytescale,
        imsave=lambda name, arr, format=None: _toimage(arr).save(name, format),
        imrotate=lambda arr, angle, interp="bilinear": np.array(_toimage(arr).rotate(angle, 2)),
        fromimage=lambda im, flatten=False, mode=None: np.array(im.convert("F") if flatten else im),
        logsumexp=special.logsumexp,
        comb=special.comb,
        factorial=special.factorial,
    )


def _load_pictures(pillow: ModuleType) -> None:
    importlib.import_module("PIL.Image")


def _change_pillow(image: Any) -> None:
    kinds = image.Resampling
    add_names(image, ANTIALIAS=kinds.LANCZOS, LINEAR=kinds.BILINEAR, CUBIC=kinds.BICUBIC)


# ---- tables: scikit-learn, pandas, HDF5 ----------------------------------------------------------

_BOSTON = "CRIM ZN INDUS CHAS NOX RM AGE DIS RAD TAX PTRATIO B LSTAT"


def _load_boston(return_X_y: bool = False) -> Any:
    """Keras's copy of the set: the same houses, in another order."""
    parts = load_boston_housing()
    data, target = (np.concatenate(both) for both in zip(*parts))
    if return_X_y:
        return data, target
    bunch = importlib.import_module("sklearn.utils").Bunch
    names = np.array(_BOSTON.split())
    return bunch(data=data, target=target, feature_names=names, DESCR="Boston house prices")


def _fetch_mldata(
    dataname: str,
    target_name: str = "label",
    data_name: str = "data",
    transpose_data: bool = True,
    data_home: Any = None,
) -> Any:
    """MNIST, the set that programs took from mldata.org: as `input_data` finds it, in order."""
    if "mnist" not in dataname.lower():
        raise OSError(f"mldata.org is gone, and {dataname} with it; only MNIST is had elsewhere.")
    sets = read_data_sets(data_home or "MNIST_data", dtype=dtypes.uint8, validation_size=0)
    parts = [
        (each.images, each.labels, np.argsort(each.labels, kind="stable"))
        for each in (sets.train, sets.test)
    ]
    data, target = (np.concatenate([part[i][part[2]] for part in parts]) for i in (0, 1))
    return importlib.import_module("sklearn.utils").Bunch(
        data=data, target=target.astype(np.float64), DESCR="mldata.org dataset: mnist-original"
    )


def _change_preprocessing(preprocessing: Any) -> None:
    encoder = preprocessing.OneHotEncoder
    encoder.__init__ = renamed(encoder.__init__, sparse="sparse_output")
    add_names(preprocessing, Imputer=_imputer)


def _imputer(missing_values: Any = "NaN", strategy: str = "mean", axis: int = 0) -> Any:
    missing = np.nan if missing_values == "NaN" else missing_values
    impute = importlib.import_module("sklearn.impute")
    return impute.SimpleImputer(missing_values=missing, strategy=strategy)


class _ByLabelOrPlace:
    """`frame.ix`: by labels where the index has them, and by places else."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def _way(self, key: Any) -> Any:
        rows, *columns = key if isinstance(key, tuple) else (key,)
        labels = columns[0] if columns else None
        first = labels.start if isinstance(labels, slice) else np.ravel([labels])[0]
        return (
            self._frame.iloc
            if columns and isinstance(first, (int, np.integer))
            else self._frame.loc
        )

    def __getitem__(self, key: Any) -> Any:
        return self._way(key)[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._way(key)[key] = value


def _with_axis_by_place(function: Callable[..., Any], place: int) -> Callable[..., Any]:
    """A function whose argument `axis` may stand at a place, where it must be named today."""

    @functools.wraps(function)
    def with_axis(*args: Any, **kwargs: Any) -> Any:
        if len(args) > place and "axis" not in kwargs:
            args, kwargs["axis"] = args[:place] + args[place + 1 :], args[place]
        return function(*args, **kwargs)

    return with_axis


def _change_pandas(pandas: Any) -> None:
    frame, series = pandas.DataFrame, pandas.Series

    def append(self: Any, other: Any, ignore_index: bool = False, **options: Any) -> Any:
        if isinstance(other, dict):
            other = series(other)
        if isinstance(self, frame) and isinstance(other, series):
            other = other.to_frame().T
        others = list(other) if isinstance(other, (list, tuple)) else [other]
        return pandas.concat([self, *others], ignore_index=ignore_index)

    def as_matrix(self: Any, columns: Any = None) -> np.ndarray:
        return (self if columns is None else self[columns]).values

    for kind in (frame, series):
        add_names(
            kind,
            append=append,
            as_matrix=as_matrix,
            ix=property(_ByLabelOrPlace),
            iteritems=kind.items,
            get_value=lambda self, *where: self.loc[where],
            sort=kind.sort_values,
        )
        kind.drop = _with_axis_by_place(kind.drop, 2)
    frame.dropna = _with_axis_by_place(frame.dropna, 1)
    pandas.concat = _with_axis_by_place(pandas.concat, 1)
    pandas.options.future.infer_string = False  # texts in columns are Python's again


# ---- plots ---------------------------------------------------------------------------------------


def _change_pyplot(pyplot: Any) -> None:
    library = pyplot.style.library
    for name in [name for name in library if name.startswith("seaborn-v0_8")]:
        library.setdefault(name.replace("-v0_8", ""), library[name])
    add_names(pyplot, hold=lambda b=None: None)
    add_names(pyplot.cm, get_cmap=pyplot.get_cmap)
    axes, figure = pyplot.Axes, pyplot.Figure
    axes.hist = renamed(axes.hist, normed="density")
    pyplot.hist = renamed(pyplot.hist, normed="density")
    current = figure.gca

    def gca(self: Any, **options: Any) -> Any:
        return self.add_subplot(**options) if options else current(self)

    figure.gca = gca
    pyplot.gca = lambda **options: pyplot.gcf().gca(**options)


def _change_h5py(h5py: ModuleType) -> None:
    add_names(h5py.Dataset, value=property(lambda self: self[()]))
    read = h5py.AttributeManager.__getitem__

    def as_it_was(attributes: Any, name: str) -> Any:
        value = read(attributes, name)
        texts = type(value) is str or getattr(getattr(value, "dtype", None), "kind", "") == "O"
        return np.frompyfunc(_Text, 1, 1)(value) if texts else value

    h5py.AttributeManager.__getitem__ = as_it_was
    start = h5py.File.__init__

    @functools.wraps(start)
    def opened(self: Any, name: Any, mode: Any = None, *args: Any, **kwargs: Any) -> None:
        # Without a mode, h5py 2 wrote, and read only where it could not write.
        try:
            start(self, name, mode or "a", *args, **kwargs)
        except OSError:
            if mode is not None:
                raise
            start(self, name, "r", *args, **kwargs)

    h5py.File.__init__ = opened


class _Text(str):
    """A text that was bytes before h5py 3: Keras decodes what it has read."""

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """The text itself."""
        return str(self)


CHANGES: dict[str, Callable[[ModuleType], None]] = {
    "absl.flags": lambda flags: join(flags.FLAGS, FLAGS),  # one set, as in TensorFlow
    "scipy.misc": _change_scipy_misc,
    "scipy.sparse": lambda sparse: add_names(
        sparse.spmatrix,
        A=property(lambda matrix: matrix.toarray()),
        H=property(lambda matrix: matrix.conj().T),
    ),
    "scipy.signal": lambda signal: add_names(
        signal, **{name: getattr(signal.windows, name) for name in signal.windows.__all__}
    ),
    "scipy.ndimage": lambda ndimage: add_names(ndimage, imread=_imread),
    # `import PIL` was enough for PIL.Image: TensorFlow had imported it for Keras's pictures.
    "PIL": _load_pictures,
    "PIL.Image": _change_pillow,
    "sklearn.datasets": lambda datasets: add_names(
        datasets, load_boston=_load_boston, fetch_mldata=_fetch_mldata
    ),
    "sklearn.preprocessing": _change_preprocessing,
    "pandas": _change_pandas,
    "h5py": _change_h5py,
    "matplotlib.pyplot": _change_pyplot,
}
