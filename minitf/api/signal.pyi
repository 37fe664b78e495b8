"""The names of `tf.signal`."""

from minitf.library.numeric.fourier import fft as fft
from minitf.library.numeric.fourier import fft2d as fft2d
from minitf.library.numeric.fourier import fft3d as fft3d
from minitf.library.numeric.fourier import ifft as ifft
from minitf.library.numeric.fourier import ifft2d as ifft2d
from minitf.library.numeric.fourier import ifft3d as ifft3d
from minitf.library.numeric.fourier import irfft as irfft
from minitf.library.numeric.fourier import irfft2d as irfft2d
from minitf.library.numeric.fourier import irfft3d as irfft3d
from minitf.library.numeric.fourier import rfft as rfft
from minitf.library.numeric.fourier import rfft2d as rfft2d
from minitf.library.numeric.fourier import rfft3d as rfft3d
from minitf.library.numeric.signal import dct as dct
from minitf.library.numeric.signal import frame as frame
from minitf.library.numeric.signal import hamming_window as hamming_window
from minitf.library.numeric.signal import hann_window as hann_window
from minitf.library.numeric.signal import idct as idct
from minitf.library.numeric.signal import stft as stft
from minitf.library.numeric.spectra import fftshift as fftshift
from minitf.library.numeric.spectra import ifftshift as ifftshift
from minitf.library.numeric.spectra import inverse_stft as inverse_stft
from minitf.library.numeric.spectra import inverse_stft_window_fn as inverse_stft_window_fn
from minitf.library.numeric.spectra import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from minitf.library.numeric.spectra import mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms
from minitf.library.numeric.spectra import overlap_and_add as overlap_and_add
