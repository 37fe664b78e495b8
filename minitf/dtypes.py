"""The namespace `tf.dtypes`: names only."""

from minitf.framework.dtypes import (
    DType,
    as_dtype,
    bool,  # noqa: A004
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)
from minitf.ops.cast import cast, saturate_cast

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
