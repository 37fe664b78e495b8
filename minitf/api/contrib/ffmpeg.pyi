"""The names of `tf.contrib.ffmpeg`."""

from minitf.compat.contrib.foreign import decode_audio as decode_audio
from minitf.compat.contrib.foreign import decode_video as decode_video
from minitf.compat.contrib.foreign import encode_audio as encode_audio
