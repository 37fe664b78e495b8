"""Runs one case program inside one library and turns what it showed into plain JSON values.

The same file serves both sides: the tests import it and give it `minitf`; `oracle.py` starts it
as a program in TensorFlow's environment, where it reads one JSON request a line and answers one
JSON line. Therefore it imports nothing but NumPy, and never `minitf` or pytest.

A program sees `tf`, `np` and these words:
    show(x, y=...)          record any value: tensor, array, dtype, shape, operation, text, nest
    run(fetches, feeds)     evaluate in this program's session (variables are initialized first)
    check(y, x1, x2)        record tensor(s) `y`, their values, and the gradients by `x1`, `x2`
    value(y, x1, x2)        as `check`, without names: for what is made of other operations here
    fails(function, *args)  record the exception that the call raises
    moments(x)              record dtype, shape, mean, deviation and outer hundredths of random numbers
    session()               this program's session, made at the first use
    folder                  the path of an empty folder, the same in both libraries

A program whose first line is `# eager` runs under eager execution; `run` and `check` are not for it.
"""

import gc
import importlib
import json
import linecache
import os
import shutil
import sys

import numpy as np


def run_case(tf, source, folder=None):
    """Runs `source` against the library `tf` in a fresh graph.

    Args:
      tf: the module: `minitf` or `tensorflow.compat.v1`.
      source: text of the program.
      folder: where to make the folder that the program may fill; it is gone afterwards.
    Returns: {"shown": {name: encoded value}, "error": None or an encoded exception}.
    """
    if folder is None:
        return _run(tf, source, folder)
    os.makedirs(folder)
    try:
        return _run(tf, source, folder)
    finally:
        shutil.rmtree(folder)


def _run(tf, source, folder):
    environment = dict(os.environ)  # resolvers, for instance, say there which GPUs are to be seen
    try:
        return _run_here(tf, source, folder)
    finally:
        os.environ.clear()
        os.environ.update(environment)


def _run_here(tf, source, folder):
    with _mode(tf, source):
        if source.startswith("# eager") and "keras" in source:
            tf.keras.backend.clear_session()  # names of layers outlive the program otherwise
        words = _Words(tf, folder)
        error = None
        try:
            name = f"<case {len(linecache.cache)}>"  # where its functions' source is looked for
            linecache.cache[name] = (len(source), None, source.splitlines(True), name)
            exec(compile(source, name, "exec"), words.names())
        except Exception as raised:  # whatever a program raises is its result
            error = encode(tf, raised)
        finally:
            words.close()
    return {"shown": words.shown, "error": error}


def _mode(tf, source):
    """A fresh graph; eager execution for a program that begins with `# eager`."""
    if not source.startswith("# eager"):
        return tf.Graph().as_default()
    names = ("tensorflow.python.eager.context", "minitf.library.eager.context")
    own = names[0] if tf.__name__.startswith("tensorflow") else names[1]
    return importlib.import_module(own).eager_mode()


class _Words:
    """The vocabulary of one program and what it has shown so far."""

    def __init__(self, tf, folder):
        self.tf = tf
        self.folder = folder
        self.shown = {}
        self._session = None
        self._initialized = set()

    def names(self):
        words = ("show", "run", "check", "value", "fails", "moments", "session", "folder")
        return {"tf": self.tf, "np": np, **{word: getattr(self, word) for word in words}}

    def close(self):
        if self._session is not None:
            self._session.close()

    def show(self, *values, **named):
        for value in values:
            self._record(str(len(self.shown)), value)
        for name, value in named.items():
            self._record(name, value)

    def session(self):
        if self._session is None:
            self._session = self.tf.Session()
        return self._session

    def run(self, fetches, feeds=None):
        session = self.session()
        variables = self.tf.global_variables() + self.tf.local_variables()
        fresh = [v for v in variables if v.name not in self._initialized]
        if fresh:
            session.run([v.initializer for v in fresh])
            self._initialized.update(v.name for v in fresh)
        return session.run(fetches, feeds)

    def check(self, result, *inputs, feeds=None):
        number = len(self.shown)
        self._record(f"{number}", result)
        results = result if isinstance(result, (list, tuple)) else [result]
        self._outcome(number, list(results), inputs, feeds)

    def value(self, result, *inputs, feeds=None):
        number = len(self.shown)
        if isinstance(result, self.tf.SparseTensor):
            self._record(f"{number} parts", self.run(result, feeds))
            result = result.values
        else:
            self._record(f"{number}", [result.dtype, result.get_shape()])
        self._outcome(number, [result], inputs, feeds)

    def _outcome(self, number, results, inputs, feeds):
        values = self.run(results, feeds)
        self._record(f"{number} value", values)
        if not inputs:
            return
        pairs = [(r, v) for r, v in zip(results, values) if r.dtype.is_floating]
        smooth, ramps = [r for r, _ in pairs], [_ramp(v) for _, v in pairs]
        gradients = self.tf.gradients(smooth, list(inputs), grad_ys=ramps)
        for i, gradient in enumerate(gradients):
            where = f"{number} gradient {i}"
            if gradient is None:
                self._record(where, None)
                continue
            dense = self.tf.convert_to_tensor(gradient)
            self._record(f"{where} dtype", dense.dtype)
            self._record(f"{where} value", self.run(dense, feeds))

    def fails(self, function, *args, **kwargs):
        try:
            value = function(*args, **kwargs)
        except Exception as raised:
            self._record(str(len(self.shown)), raised)
        else:
            kind = "Tensor" if isinstance(value, self.tf.Tensor) else type(value).__name__
            self._record(str(len(self.shown)), f"nothing was raised; the result is a {kind}")

    def moments(self, tensor, feeds=None):
        number = len(self.shown)
        self._record(str(number), tensor)
        drawn = np.asarray(self.run(tensor, feeds), np.float64).ravel()
        self.shown[f"{number} moments"] = {
            "kind": "moments",
            "count": int(drawn.size),
            "mean": float(drawn.mean()),
            "deviation": float(drawn.std()),
            "low": float(np.quantile(drawn, 0.01)),
            "high": float(np.quantile(drawn, 0.99)),
        }

    def _record(self, name, value):
        if name in self.shown:
            raise ValueError(f"the program shows {name!r} twice")
        self.shown[name] = encode(self.tf, value)


def _ramp(value):
    """Returns weights for the gradient of a tensor with this value: unequal ones, so that no axis
    hides a mistake."""
    ramp = (np.arange(np.size(value)) % 7 + 1) / 4.0
    return ramp.reshape(np.shape(value)).astype(value.dtype)


def encode(tf, value):
    """Turns one shown value into JSON: {"kind": ..., what is compared of that kind}."""
    if value is None or isinstance(value, (bool, int, str)):
        return {"kind": "plain", "value": value}
    if isinstance(value, float):
        return {"kind": "plain", "value": value}
    if isinstance(value, BaseException):
        return _encode_exception(value)
    if isinstance(value, bytes):
        return {"kind": "bytes", "value": value.decode("latin1")}
    if isinstance(value, (np.ndarray, np.generic)):
        return _encode_array(value)
    if isinstance(value, tf.Tensor) and hasattr(value, "numpy"):
        own = value.numpy()
        return _encode_array(own) if hasattr(own, "dtype") else encode(tf, own)
    if isinstance(value, tf.Tensor):
        return {
            "kind": "tensor",
            "name": value.name,
            "dtype": value.dtype.name,
            "shape": _encode_shape(value.get_shape()),
            "op": value.op.type,
        }
    if isinstance(value, tf.Variable) or hasattr(value, "assign_add"):
        return {
            "kind": "variable",
            "name": value.name,
            "dtype": value.dtype.name,
            "shape": _encode_shape(value.get_shape()),
            "value": _rounded(value.numpy()) if tf.executing_eagerly() else None,
        }
    if isinstance(value, tf.Operation):
        return {
            "kind": "operation",
            "name": value.name,
            "op": value.type,
            "device": value.device,
            "controls": sorted(op.name for op in value.control_inputs),
        }
    if isinstance(value, tf.TensorShape):
        return {"kind": "shape", "shape": _encode_shape(value)}
    if isinstance(value, tf.DType):
        return {"kind": "dtype", "name": value.name}
    if isinstance(value, tf.Dimension):
        return {"kind": "dimension", "value": value.value}
    if isinstance(value, dict):
        return {
            "kind": type(value).__name__,
            "items": [[str(k), encode(tf, v)] for k, v in value.items()],
        }
    if isinstance(value, (list, tuple)):
        return {"kind": type(value).__name__, "items": [encode(tf, v) for v in value]}
    return {"kind": "object", "value": type(value).__name__}


def _rounded(array):
    return [float(f"{x:.4g}") for x in np.ravel(array)]


def _encode_shape(shape):
    return None if shape.ndims is None else shape.as_list()


def _encode_exception(error):
    bases = [c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins"]
    message = getattr(error, "message", None)
    if not isinstance(message, str):
        message = str(error.args[0]) if len(error.args) == 1 else str(error)
    encoded = {
        "kind": "exception",
        "type": type(error).__name__,
        "base": bases[0],
        "message": message,
    }
    code = getattr(error, "error_code", None)
    if isinstance(code, int):
        encoded["code"] = code
    return encoded


def _encode_array(value):
    kind = value.dtype.kind
    if kind in "OSU":
        data = np.vectorize(_text, otypes=[object])(value).tolist() if value.size else []
    elif kind == "c":
        data = np.stack([value.real, value.imag], axis=-1).tolist()
    elif kind == "V":  # bfloat16, or a quantized type in its one field
        names = value.dtype.names
        data = value[names[0]].tolist() if names else value.astype(np.float32).tolist()
    else:
        data = np.asarray(value).tolist()
    return {
        "kind": "array",
        "dtype": "string" if kind in "OSU" else _type_name(value.dtype),
        "shape": list(value.shape),
        "scalar": isinstance(value, np.generic),
        "data": data,
    }


def _type_name(dtype):
    return dtype.names[0] if dtype.names else dtype.name


def _text(item):
    return item.decode("latin1") if isinstance(item, bytes) else str(item)


def serve(tf):
    """Answers requests {"id": n, "source": text, "folder": path} on standard input."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever the library prints must not mix with the answers
    print(json.dumps({"ready": tf.__version__}), file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        # Keras makes thousands of operations; rewriting them took a quarter of the time. What is
        # small is rewritten: a few kernels answer otherwise for constants that were not folded.
        options = {"disable_meta_optimizer": "keras" in request["source"]}
        tf.config.optimizer.set_experimental_options(options)
        answer = run_case(tf, request["source"], request["folder"])
        print(json.dumps({"id": request["id"], **answer}), file=answers, flush=True)


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    import tensorflow.compat.v1

    tensorflow.compat.v1.disable_v2_behavior()
    tensorflow.compat.v1.logging.set_verbosity(tensorflow.compat.v1.logging.FATAL)
    # To look for garbage among all that TensorFlow itself consists of took a tenth of the time.
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    serve(tensorflow.compat.v1)
