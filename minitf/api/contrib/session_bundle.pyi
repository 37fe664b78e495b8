"""The names of `tf.contrib.session_bundle`."""

from minitf.compat.contrib import session_bundle as exporter

__all__ = [
    "exporter"
]
