"""The namespace `tf.signal`: names only."""

from minitf.ops.fourier import (
    fft,
    fft2d,
    fft3d,
    ifft,
    ifft2d,
    ifft3d,
    irfft,
    irfft2d,
    irfft3d,
    rfft,
    rfft2d,
    rfft3d,
)

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
