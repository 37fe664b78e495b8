"""`tf.contrib.predictor`: a saved model as a function from arrays to arrays.

predict = from_saved_model("/tmp/model/1574432")
predict({"x": [[1.0, 2.0]]})                     {"probabilities": array(...), ...}
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from typing import Any

from minitf.core.graph.graph import Graph
from minitf.core.graph.tensor import Tensor
from minitf.core.runtime.session.session import Session
from minitf.library.saving.saved_model import load
from minitf.library.saving.saved_model_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY, SERVING


class Predictor:
    """Runs one use of a loaded graph; the session stays open between calls.

    Args:
      session: holds the graph and its variables.
      feed_tensors, fetch_tensors: what to feed and to fetch, by the names that callers know.
    """

    def __init__(
        self,
        session: Session,
        feed_tensors: Mapping[str, Tensor],
        fetch_tensors: Mapping[str, Tensor],
    ) -> None:
        self.session = session
        self.feed_tensors, self.fetch_tensors = dict(feed_tensors), dict(fetch_tensors)

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self.session.graph

    def __call__(self, input_dict: Mapping[str, Any]) -> dict[str, Any]:
        """The outputs for some inputs.

        Raises:
          ValueError: when an input is not known.
        """
        unknown = set(input_dict) - set(self.feed_tensors)
        if unknown:
            raise ValueError(
                f"Got unexpected keys in input_dict: {unknown}\nexpected: {set(self.feed_tensors)}"
            )
        feeds = {self.feed_tensors[key]: value for key, value in input_dict.items()}
        found: dict[str, Any] = self.session.run(self.fetch_tensors, feeds)
        return found


def from_saved_model(
    export_dir: str,
    signature_def_key: str | None = None,
    signature_def: Any = None,
    input_names: Mapping[str, str] | None = None,
    output_names: Mapping[str, str] | None = None,
    tags: str | None = None,
    graph: Graph | None = None,
    config: Any = None,
) -> Predictor:
    """Loads a saved model.

    Args:
      export_dir: its directory.
      signature_def_key: which of its signatures; "serving_default" when None.
      signature_def: a signature in place of one of its own.
      input_names, output_names: tensors by name in place of a signature.
      tags: the tags of the graph, with commas between them; "serve" when None.
      graph: where to put it; a new graph when None.
      config: of the session.

    Raises:
      ValueError: when there is no such signature, or two of the three ways to say it are used.
    """
    if sum(x is not None for x in (signature_def_key, signature_def, input_names)) > 1:
        raise ValueError(
            "You must specify at most one of signature_def_key OR signature_def OR(input_names "
            "AND output_names)."
        )
    if (input_names is None) != (output_names is None):
        raise ValueError("input_names and output_names must both be specified or both be None.")
    session = Session(graph=graph or Graph(), config=config)
    wanted = (tags or SERVING).split(",")
    signatures = load(session, wanted, export_dir).signature_def
    if input_names is None:
        key = signature_def_key or DEFAULT_SERVING_SIGNATURE_DEF_KEY
        if signature_def is None and key not in signatures:
            raise ValueError(
                f"Got signature_def_key '{key}'. Available signatures are {sorted(signatures)}."
            )
        chosen = signature_def or signatures[key]
        input_names = {name: info.name for name, info in chosen.inputs.items()}
        output_names = {name: info.name for name, info in chosen.outputs.items()}
    find = session.graph.get_tensor_by_name
    feeds = {key: find(name) for key, name in input_names.items()}
    return Predictor(session, feeds, {k: find(name) for k, name in (output_names or {}).items()})


def from_estimator(
    estimator: Any,
    serving_input_receiver_fn: Callable,
    output_key: str | None = None,
    graph: Graph | None = None,
    config: Any = None,
) -> Predictor:
    """As `from_saved_model`, of an estimator's latest checkpoint; see `export_saved_model`."""
    with tempfile.TemporaryDirectory() as folder:
        exported = estimator.export_saved_model(folder, serving_input_receiver_fn)
        return from_saved_model(exported, output_key, graph=graph, config=config)
