"""The names of `tf.signal`."""

from minitf.library.numeric.fourier import fft as fft
from minitf.library.numeric.fourier import fft2d as fft2d
from minitf.library.numeric.fourier import ifft as ifft
from minitf.library.numeric.fourier import ifft2d as ifft2d
from minitf.library.numeric.fourier import irfft as irfft
from minitf.library.numeric.fourier import irfft2d as irfft2d
from minitf.library.numeric.fourier import rfft as rfft
from minitf.library.numeric.fourier import rfft2d as rfft2d
