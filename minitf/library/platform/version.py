"""`tf.version`: the interface that minitf offers, as programs ask for it before they use it."""

VERSION = "1.15.0"
GIT_VERSION = "minitf"
