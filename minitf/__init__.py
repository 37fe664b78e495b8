"""minitf: TensorFlow's graphs, sessions and clusters, small enough to read.

    import minitf as tf

    a = tf.constant(2.0)
    b = tf.placeholder(tf.float32)
    with tf.Session() as sess:
        print(sess.run(a * b, feed_dict={b: 21.0}))

The names, argument orders and defaults are those of TensorFlow 1.15. This package is the
public API and holds no names itself. `api/*.pyi` say where each name is, and `_book.find` imports
that module when a program asks for the name.

    core      graphs, sessions, clusters          library   breadth: a folder a subject
    fast      only speed; it may be left out      compat    for old programs

docs/journey.md explains one `sess.run`, in seven days.
"""

from __future__ import annotations

import functools as _functools
import importlib as _importlib
import importlib.util as _util
import pkgutil as _pkgutil
import sys as _sys
from typing import TYPE_CHECKING
from typing import Any as _Any

from minitf.core.graph.process import no_collections as _no_collections

with _no_collections(for_good=True):
    from minitf.core.graph import messages as _messages
    from minitf.core.graph import op_def as _op_def
    from minitf.core.ops import operators as _operators  # binds +, @, [] onto Tensor
    from minitf.core.runtime.session.backend import register_backend as _register_backend
    from minitf.library.platform import namespaces as _namespaces

if TYPE_CHECKING:
    from minitf.api import *  # noqa: F403

__version__ = "0.1.0"

_namespaces.install()
_book = _namespaces.Book(globals(), _namespaces.PUBLIC_API)
__getattr__ = _book.find
__dir__ = _book.names

#: The packages in which ops are declared.
_PACKAGES = """
core.ops core.gradients library.checks library.distribute library.eager library.graph_tools
library.images library.input library.keras.optimizers library.nets library.numeric
library.optimizers library.parsing library.saving library.sessions library.sparse library.summary
library.text library.trees compat.contrib
""".split()


@_functools.cache
def _load_ops(name: str) -> None:
    """Imports the operations of a package: a graph that comes as data may name any of them."""
    package = _importlib.import_module(f"minitf.{name}")
    for module in _pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        _importlib.import_module(module.name)


def _cluster_backend(target: str, graph: _Any, config: _Any) -> _Any:
    """The cluster's backend; it comes when the first address is used."""
    module = _importlib.import_module("minitf.core.cluster.service.remote_session")
    return module.backend(target, graph, config)


# Lower files need these and may not import them, so they are handed down here.
for _name in _PACKAGES:
    _op_def.add_source(_functools.partial(_load_ops, _name))
_messages.add_form(lambda: _importlib.import_module("minitf.library.saving.tensorflow_writing"))
for _scheme in ("grpc", "inproc", "mtf", "mtfs"):
    _register_backend(_scheme, _cluster_backend)
if _util.find_spec("minitf.fast") is not None:
    with _no_collections(for_good=True):
        _importlib.import_module("minitf.fast")
if "IPython" in _sys.modules:
    _importlib.import_module("minitf.library.platform.notebook").install()
