"""A graph that hears words, as the tutorial on speech commands builds it."""

from pathlib import Path

import numpy as np

from tests.compat.test_runner import _run

PROGRAM = """
import math
import numpy as np
import tensorflow as tf
from tensorflow.contrib.framework.python.ops import audio_ops as contrib_audio
from tensorflow.python.ops import gen_audio_ops

tf.set_random_seed(2)
rate, seconds, words = 16000, 0.1, 3
path = tf.placeholder(tf.string, [])
contents = tf.read_file(path)
sound = contrib_audio.decode_wav(contents, desired_channels=1, desired_samples=int(rate * seconds))
louder = tf.clip_by_value(sound.audio * 2.0, -1.0, 1.0)
spectrogram = contrib_audio.audio_spectrogram(
    louder, window_size=480, stride=160, magnitude_squared=True)
fingerprint = contrib_audio.mfcc(spectrogram, sound.sample_rate, dct_coefficient_count=40)
assert contrib_audio.mfcc is gen_audio_ops.mfcc
kept = tf.write_file("louder.wav", tf.audio.encode_wav(louder, sound.sample_rate))
image = tf.reshape(fingerprint, [-1, fingerprint.shape[1].value, 40, 1])
h = tf.nn.relu(tf.layers.conv2d(image, 4, [3, 8], padding="same"))
h = tf.nn.max_pool(h, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
logits = tf.layers.dense(tf.layers.flatten(h), words)
loss = tf.losses.sparse_softmax_cross_entropy([1], logits)
train = tf.train.GradientDescentOptimizer(0.0001).minimize(loss)
with tf.Session() as sess:
    tone = np.sin(np.arange(1600) / rate * 2 * math.pi * 1000)[:, None] * 0.3
    open("tone.wav", "wb").write(sess.run(tf.audio.encode_wav(tone.astype("f"), rate)))
    sess.run(tf.global_variables_initializer())
    before = sess.run(loss, {path: "tone.wav"})
    for _ in range(20):
        sess.run(train, {path: "tone.wav"})
    power, features, _ = sess.run([spectrogram, fingerprint, kept], {path: "tone.wav"})
    learned = sess.run(loss, {path: "tone.wav"}) < before
    print(power.shape, power[0].argmax(1).tolist(), features.shape, learned)
    print(sess.run(sound.audio, {path: "louder.wav"}).max().round(2))
"""


def test_a_tone_is_read_heard_and_learned(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    done = _run(str(tmp_path / "program.py"), cwd=tmp_path)
    # 1000 Hz of 16000, a transform of 512: bin 32
    assert done.stdout.splitlines() == [f"(1, 8, 257) {[32] * 8} (1, 8, 40) True", "0.6"], (
        done.stderr
    )
    assert np.frombuffer((tmp_path / "tone.wav").read_bytes()[44:], "<i2").max() == 9830
