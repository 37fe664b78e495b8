"""`tf.version`: the interface that minitf offers, as programs ask for it before they use it."""

VERSION = "1.15.0"
GIT_VERSION = "minitf"
COMPILER_VERSION = "none"
GRAPH_DEF_VERSION = 134
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
