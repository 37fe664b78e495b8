"""Names below `tensorflow.python` that the public API lacks: what TensorFlow's own code calls.

Every module of the alias below `tensorflow.python` looks here last. `names.pyi` says where each is.
"""

from pathlib import Path

from minitf.core.graph.namespaces import Book

_book = Book(globals(), Path(__file__).with_name("names.pyi"))
__getattr__ = _book.find
__dir__ = _book.names
