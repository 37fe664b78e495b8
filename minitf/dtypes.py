"""The namespace `tf.dtypes`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.framework.dtypes: DType as_dtype bool complex128 complex64 double float16 float32 float64
    half int16 int32 int64 int8 resource string uint16 uint32 uint64 uint8 variant
minitf.ops.cast: cast saturate_cast
minitf.ops.complex: complex
minitf.ops.strings: as_string
""",
)
