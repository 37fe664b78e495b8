"""The namespace `tf.version`: names only."""

from minitf.platform.version import (
    COMPILER_VERSION,
    GIT_VERSION,
    GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_CONSUMER,
    GRAPH_DEF_VERSION_MIN_PRODUCER,
    VERSION,
)

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
