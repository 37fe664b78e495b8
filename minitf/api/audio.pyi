"""The names of `tf.audio`."""

from minitf.library.numeric.audio import decode_wav as decode_wav
from minitf.library.numeric.audio import encode_wav as encode_wav
