"""Parts of TensorFlow that hand a graph or a file to another program, which minitf is not.

`tf.lite`, `tf.contrib.tensorrt`, `tf.contrib.ffmpeg` and others can be imported, as
programs do in passing; what they do is refused in one sentence when it is asked for.
"""

from __future__ import annotations

from typing import Any, NoReturn


def _refused(name: str, why: str) -> Any:
    """A class that says, when it or one of its functions is called, why it is not there."""

    class Kind(type):
        def __getattr__(cls, function: str) -> Any:
            if function.startswith("_"):
                raise AttributeError(function)
            return cls

    class Foreign(metaclass=Kind):
        def __new__(cls, *args: Any, **kwargs: Any) -> NoReturn:
            raise NotImplementedError(f"{name} {why}")

    Foreign.__name__ = Foreign.__qualname__ = name.rpartition(".")[2]
    Foreign.__doc__ = f"{name} {why}"
    return Foreign


_LITE = (
    "is not in minitf: it writes or runs models of TensorFlow Lite. Save the model with "
    "tf.saved_model and convert it with TensorFlow's tf.lite."
)
_TENSORRT = (
    "is not in minitf: it needs NVIDIA's TensorRT. The graph that it would change runs in minitf "
    "as it is."
)
_FFMPEG = "is not in minitf: it calls the program ffmpeg. Python's wave reads files in that form."

TFLiteConverter = _refused("tf.lite.TFLiteConverter", _LITE)
TocoConverter = _refused("tf.lite.TocoConverter", _LITE)
Interpreter = _refused("tf.lite.Interpreter", _LITE)
toco_convert = _refused("tf.lite.toco_convert", _LITE)
create_inference_graph = _refused("tf.contrib.tensorrt.create_inference_graph", _TENSORRT)
calib_graph_to_infer_graph = _refused("tf.contrib.tensorrt.calib_graph_to_infer_graph", _TENSORRT)
decode_audio = _refused("tf.contrib.ffmpeg.decode_audio", _FFMPEG)
encode_audio = _refused("tf.contrib.ffmpeg.encode_audio", _FFMPEG)
decode_video = _refused("tf.contrib.ffmpeg.decode_video", _FFMPEG)
