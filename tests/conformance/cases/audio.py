"""WAV files, spectrograms and cepstral coefficients; bytes that are no such file."""

from ..case import programs

WAV = '''
        import struct
        try:
            from tensorflow.python.ops import gen_audio_ops as audio_ops
        except ImportError:
            from minitf.library.numeric import audio as audio_ops
        samples = struct.pack("<6h", 0, 1, -1, 32767, -32768, 100)
        def wav(data=samples, rate=8000, ch=1, bits=16, fmt=1, size=16, per_second=None, per_sample=None,
                riff=b"RIFF", wave=b"WAVE", first=b"fmt ", name=b"data", told=None, more=b""):
            per_sample = ch * bits // 8 if per_sample is None else per_sample
            per_second = rate * per_sample if per_second is None else per_second
            head = struct.pack("<IHHIIHH", size, fmt, ch, rate, per_second, per_sample, bits) + bytes(size - 16)
            body = wave + first + head + more + name + struct.pack("<I", len(data) if told is None else told) + data
            return riff + struct.pack("<I", len(body)) + body
        def chunk(name, data, size=None):
            return name + struct.pack("<I", len(data) if size is None else size) + data
        x = np.sin(np.arange(80.) * .7 + np.arange(80.) ** 2 * .01).astype("f")[:, None]
        x = np.concatenate([x, -x * x], 1)
'''  # fmt: skip

PROGRAMS = {
    "decode_wav": WAV
    + """
        for data, given in [(wav(), {}), (wav(ch=2), {}), (wav(ch=3), {}), (wav(size=18), {}), (wav(b""), {}), (wav(rate=0), {}),
                            (wav(ch=2), dict(desired_channels=1)), (wav(ch=2), dict(desired_channels=3)), (wav(), dict(desired_channels=0)),
                            (wav(), dict(desired_channels=2, desired_samples=8)), (wav(), dict(desired_samples=2)), (wav(), dict(desired_samples=0)),
                            (wav(more=chunk(b"LIST", b"abcd")), {}), (wav(more=chunk(b"LIST", b"abc")), {})]:
            made = tf.audio.decode_wav(tf.constant(data), **given)
            show(made.audio.name, made.audio.shape, made.sample_rate.shape, run(made))
        fails(lambda: tf.audio.decode_wav(wav(), desired_channels=-2))
        fails(lambda: tf.audio.decode_wav(wav(), desired_samples=-5))
        fails(lambda: tf.audio.decode_wav([wav(), wav()]))
    """,
    "hostile bytes": WAV
    + """
        for data in (b"", wav(riff=b"RIFX"), wav(wave=b"WAVX"), wav(first=b"fmx "), wav(fmt=3), wav(bits=8), wav(bits=24), wav(ch=0), wav(per_second=5),
                     wav(per_sample=3), wav(size=17), wav(size=40), wav(name=b"dat2"), wav(told=100), wav(samples + b"1"), wav()[:20], wav()[:41], wav()[:36],
                     wav() + chunk(b"data", b"abcd"), wav(more=chunk(b"LIST", b"abc", 2 ** 32 - 1)), wav(more=chunk(b"LIST", b"", 2 ** 31 - 1)),
                     wav(told=2 ** 31), wav(more=chunk(b"LIST", b"abc") + b"0"), b"RIFF" * 40):
            fails(lambda: run(tf.audio.decode_wav(tf.constant(data))))
    """,
    "encode_wav": WAV
    + """
        y = np.array([[0.], [.5], [-1.], [1.], [3.], [-7.], [1e-5], [2.5 / 32768], [-2.5 / 32768], [np.inf]], "f")
        for audio, rate in [(y, 8000), (x, 44100), (np.zeros([0, 1], "f"), 8000), (np.zeros([1, 3], "f"), 1)]:
            made = tf.audio.encode_wav(audio, rate)
            show(made.name, made.shape, run(made))
        fails(lambda: tf.audio.encode_wav(np.zeros([2], "f"), 8000))
        fails(lambda: tf.audio.encode_wav(np.zeros([2, 1], "f"), [8000]))
        for audio, rate in [(y, 0), (y, -4), (np.zeros([2, 0], "f"), 8000), (np.zeros([1, 70000], "f"), 8000)]:
            fails(lambda: run(tf.audio.encode_wav(audio, rate)))
        fails(lambda: run(tf.audio.encode_wav(tf.placeholder_with_default(np.zeros(2, "f"), None), 8000)))
    """,
    "spectrogram": WAV
    + """
        for size, stride, squared in [(8, 4, False), (7, 3, True), (100, 3, False), (2, 3, False), (33, 80, True)]:
            made = audio_ops.audio_spectrogram(x, window_size=size, stride=stride, magnitude_squared=squared)
            show(made.name, made.shape, np.round(run(made), 4))
        unknown = tf.placeholder_with_default(x, [None, 2])
        show(audio_ops.audio_spectrogram(unknown, 8, 4).shape)
        for size, stride in [(1, 3), (0, 1), (8, 0)]:
            fails(lambda: audio_ops.audio_spectrogram(x, size, stride))
        fails(lambda: audio_ops.audio_spectrogram(x[:, 0], 8, 4))
        fails(lambda: run(audio_ops.audio_spectrogram(tf.placeholder_with_default(x[:, 0], None), 8, 4)))
    """,
    "mfcc": WAV
    + """
        power = tf.constant(run(audio_ops.audio_spectrogram(x, 64, 4, magnitude_squared=True)))
        for given in ({}, dict(upper_frequency_limit=3000., lower_frequency_limit=100., filterbank_channel_count=6, dct_coefficient_count=4),
                      dict(upper_frequency_limit=9000.), dict(dct_coefficient_count=40)):
            made = audio_ops.mfcc(power, 8000, **given)
            show(made.name, made.shape, np.round(run(made), 2))
        for given in (dict(dct_coefficient_count=50), dict(upper_frequency_limit=10.), dict(filterbank_channel_count=0), dict(dct_coefficient_count=0),
                      dict(lower_frequency_limit=-1.)):
            fails(lambda: run(audio_ops.mfcc(power, 8000, **given)))
        fails(lambda: run(audio_ops.mfcc(power, 0)))
        fails(lambda: run(audio_ops.mfcc(power[:, :, :1], 8000)))
        fails(lambda: audio_ops.mfcc(power[0], 8000))
        fails(lambda: audio_ops.mfcc(power, [8000]))
    """,
}

CASES = programs("audio", PROGRAMS)
