"""Programs of 2016 to 2019: names of TensorFlow 0.x, of Keras 1, of Python 2 and of packages."""

import importlib.util
import subprocess
import sys
from pathlib import Path


def _run(program: str, folder: Path) -> subprocess.CompletedProcess:
    (folder / "program.py").write_text(program)
    return subprocess.run(
        [sys.executable, "-m", "minitf", "program.py"],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_names_and_orders_of_before_version_1(tmp_path: Path) -> None:
    done = _run(
        """
import tensorflow as tf
from tensorflow.contrib.rnn.python.ops import core_rnn_cell
from tensorflow.contrib.keras.python.keras.layers.core import Dense
sess = tf.Session()
a, b = tf.constant([[1., 2.]]), tf.constant([[3., 4.]])
print(sess.run(tf.concat(1, [a, b])), sess.run(tf.concat([a, b], 0)).shape)
print(*sess.run(tf.split(1, 2, a)), *sess.run(tf.split(a, 2, 1)), end=" ")
print(sess.run(tf.reverse(a, [False, True])))
print(sess.run([tf.batch_matmul(a, b, adj_y=True), tf.inv(a), tf.select([True], a, b)]))
loss = tf.nn.softmax_cross_entropy_with_logits(a, b)
print(*sess.run(loss - tf.nn.softmax_cross_entropy_with_logits(logits=a, labels=b)))
try:
    tf.nn.softmax_cross_entropy_with_logits(a)
except ValueError as error:
    print(error)
for order in ([a, [[3]]], [[[3]], a]):
    print(tf.nn.nce_loss(tf.ones([9, 2]), tf.zeros([9]), *order, 2, 9).shape)
tf.scalar_summary("x", 1.0)
print(tf.merge_all_summaries().dtype, tf.nn.seq2seq.sequence_loss.__name__)
outputs, state = tf.nn.rnn(core_rnn_cell.BasicRNNCell(2), [a, b], dtype=tf.float32)
print(len(outputs), Dense is tf.keras.layers.Dense)
image = tf.ones([1, 4, 4, 3])
for size in ((2, 6), ([2, 6],), (tf.constant(2), 6, 1)):
    print(tf.image.resize_images(image, *size).shape[1:3], end=" ")
print(tf.contrib.rnn.BasicRNNCell(num_units=4, input_size=None)(a, tf.zeros([1, 4]))[0].shape)
array = tf.TensorArray(tf.float32, 2).unpack([3., 4.])
print(sess.run(array.pack()))
bits = tf.contrib.distributions.BernoulliWithSigmoidProbs([0., 2.], dtype=tf.float32)
print(*sess.run(tf.round([bits.mean() * 1e4, bits.log_prob([1., 0.]) * 1e4])), bits.dtype.name)
normal = tf.distributions.Normal
print(sess.run(tf.contrib.distributions.kl(normal(0., 1.), normal(1., 1.))))
print(sess.run(tf.data.Dataset().range(5, 9).make_one_shot_iterator().get_next()))
""",
        tmp_path,
    )
    assert done.stdout.splitlines() == [
        "[[1. 2. 3. 4.]] (2, 2)",
        "[[1.]] [[2.]] [[1.]] [[2.]] [[2. 1.]]",
        "[array([[11.]], dtype=float32), array([[1. , 0.5]], dtype=float32), "
        "array([[1., 2.]], dtype=float32)]",
        "0.0",
        "Only call `softmax_cross_entropy_with_logits` with named arguments "
        "(labels=..., logits=..., ...)",
        "(1,)",
        "(1,)",
        "<dtype: 'string'> sequence_loss",
        "2 True",
        "(2, 6) (2, 6) (2, 6) (1, 4)",
        "[3. 4.]",
        "[5000. 8808.] [ -6931. -21269.] float32",
        "0.5",
        "5",
    ], done.stderr


def test_cells_that_are_told_the_size_of_their_inputs(tmp_path: Path) -> None:
    done = _run(
        """
import tensorflow as tf
from tensorflow.models.rnn import linear
rc = tf.nn.rnn_cell
x = tf.zeros([2, 3])
for cell in (rc.BasicRNNCell(4, 3), rc.GRUCell(4, 3), rc.BasicLSTMCell(4, 1.0, 3, False),
             rc.LSTMCell(4, 3, use_peepholes=True), rc.LSTMCell(4, 3, False, 2.0),
             tf.contrib.rnn.LSTMCell(4, None, True), rc.LSTMCell(4, True, None),
             rc.BasicLSTMCell(4, 1.0, False), rc.OutputProjectionWrapper(rc.GRUCell(4, 3), 5)):
    with tf.variable_scope(None, "s"):
        output, state = cell(x, cell.zero_state(2, tf.float32))
    names = [v.op.name.rpartition("/")[2] for v in cell.variables]
    print(output.shape[1], isinstance(state, tuple), "w_f_diag" in names)
print(linear.linear([x, x], 7, True, scope="l").shape, tf.trainable_variables()[-1].op.name)
from tensorflow.python.ops import image_ops, math_ops, nn_ops, rnn
outputs, _, _ = rnn.bidirectional_rnn(rc.GRUCell(4), rc.GRUCell(4), [x], dtype=tf.float32)
with tf.variable_scope("r"):
    print(outputs[0].shape, rnn.rnn(rc.GRUCell(4), [x], dtype=tf.float32)[1].shape)
print(nn_ops.softmax_cross_entropy_with_logits(x, x).shape, math_ops.inv(x).shape,
      image_ops.resize_images(tf.ones([1, 2, 2, 3]), 4, 5).shape)
""",
        tmp_path,
    )
    assert done.stdout.splitlines() == [
        "4 False False",
        "4 False False",
        "4 False False",
        "4 True True",
        "4 True False",
        "4 True True",
        "4 True True",
        "4 False False",
        "5 False False",
        "(2, 7) l/bias",
        "(2, 8) (2, 4)",
        "(2,) (2, 3) (1, 4, 5, 3)",
    ], done.stderr


def test_states_in_one_tensor(tmp_path: Path) -> None:
    done = _run(
        """
import numpy as np
import tensorflow as tf
from tensorflow.models.rnn import rnn, rnn_cell
from tensorflow.python.util import nest
x, state = np.ones([2, 3], "f"), np.arange(24).reshape(2, 12).astype("f") / 24
sess = tf.Session()

def run(cell, given):
    outputs, last = rnn.rnn(cell, [tf.constant(x)] * 2, initial_state=given)
    if not sess.run(tf.is_variable_initialized(cell.weights[0])):
        sess.run(tf.global_variables_initializer())
    return sess.run([outputs[-1], last])

for cell in (rnn_cell.LSTMCell(6), rnn_cell.MultiRNNCell([rnn_cell.BasicLSTMCell(3)
                                                         for _ in range(2)])):
    old = run(cell, tf.constant(state))
    sizes = nest.flatten(cell.state_size)
    given = nest.pack_sequence_as(cell.state_size, tf.split(tf.constant(state), sizes, 1))
    new = run(cell, given)
    print(old[1].shape, np.allclose(old[0], new[0]),
          np.allclose(old[1], np.hstack(nest.flatten(new[1]))))
""",
        tmp_path,
    )
    assert done.stdout.splitlines() == ["(2, 12) True True", "(2, 12) True True"], done.stderr


def test_initializers_with_a_shape_and_columns_from_data(tmp_path: Path) -> None:
    done = _run(
        """
import numpy as np
import tensorflow as tf
a = tf.get_variable("a", initializer=tf.zeros_initializer([2, 2], dtype=tf.float64))
b = tf.get_variable("b", [3], initializer=tf.ones_initializer([3]))
c = tf.Variable(tf.ones_initializer(shape=[4]))
d = tf.get_variable("d", [2], initializer=tf.zeros_initializer)
print([(v.dtype.base_dtype.name, v.shape.as_list()) for v in (a, b, c, d)])
learn = tf.contrib.learn
x, y = np.random.RandomState(0).rand(30, 4).astype("f"), np.arange(30) % 3
x[:, 0] += y
for made in (learn.DNNClassifier(hidden_units=[4], n_classes=3), learn.LinearRegressor()):
    made.fit(x=x, y=y, steps=2)
    print([w.shape for n in made.get_variable_names() if "kernel" in n or n.endswith("weight")
           or "weights" in n for w in [made.get_variable_value(n)]][:1])
""",
        tmp_path,
    )
    print(done.stdout)
    assert done.stdout.splitlines() == [
        "[('float64', [2, 2]), ('float32', [3]), ('float32', [4]), ('float32', [2])]",
        "[(4, 4)]",
        "[(4, 1)]",
    ], done.stderr


def test_what_tensorflow_itself_lets_pass(tmp_path: Path) -> None:
    """A variable's name in the place of `trainable`, and one cell twice: it goes on."""
    done = _run(
        """
import tensorflow as tf
v = tf.Variable([1.0], "weights")
tf.summary.FileWriter("logs", tf.get_default_graph()).close()
print(len(tf.trainable_variables()), sorted(tf.train.export_meta_graph().collection_def))
tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(3)] * 2)
with tf.Session() as sess:
    sess.run(v.initializer)
    print(tf.train.Saver().save(sess, "./model"))
""",
        tmp_path,
    )
    assert done.stdout.splitlines() == ["1 []", "./model"], done.stderr
    assert "are the same object and will share weights." in done.stderr


def test_buckets_with_a_loss_of_before_version_1(tmp_path: Path) -> None:
    done = _run(
        """
import tensorflow as tf
import numpy as np

def loss(inputs, labels):
    return tf.nn.sampled_softmax_loss(w, b, inputs, tf.reshape(labels, [-1, 1]), 3, 9)

w, b = tf.get_variable("w", [9, 4]), tf.get_variable("b", [9])
ids = [tf.zeros([2], tf.int32)] * 4
cell = tf.nn.rnn_cell.GRUCell(4)
outputs, losses = tf.nn.seq2seq.model_with_buckets(
    ids, ids, ids, [tf.ones([2])] * 4, [(2, 2), (3, 3)],
    lambda x, y: tf.nn.seq2seq.embedding_attention_seq2seq(
        x, y, cell, 9, 9, 4, output_projection=(tf.transpose(w), b)),
    softmax_loss_function=loss)
with tf.Session() as sess:
    sess.run(tf.initialize_all_variables())
    print(np.isfinite(sess.run(losses)).all(), [len(each) for each in outputs])
tf.contrib.deprecated.scalar_summary("x", losses[0])
""",
        tmp_path,
    )
    assert done.stdout.splitlines() == ["True [2, 3]"], done.stderr


def test_arguments_of_keras_1(tmp_path: Path) -> None:
    done = _run(
        """
import keras
import numpy as np
from keras.layers import Convolution2D, Dense, Dropout, Flatten, Input
from keras.models import Model, Sequential
from keras.utils.np_utils import to_categorical
model = Sequential()
model.add(Convolution2D(4, 3, 3, border_mode="same", subsample=(2, 2), init="he_normal",
                        dim_ordering="tf", input_shape=(8, 8, 1)))
model.add(Flatten())
model.add(Dropout(p=0.3))
model.add(Dense(output_dim=3))
print([layer.output_shape for layer in model.layers], model.layers[2].rate)
print(isinstance(model.layers[0], Convolution2D), isinstance(model.layers[3], Convolution2D))
class Twice(Dense):
    def call(self, x):
        return 2 * super().call(x)
x = Input((3,))
print(Model(input=x, output=Twice(2)(x)).output_shape)
steps = Sequential()
steps.add(keras.layers.LSTM(input_dim=1, output_dim=5, return_sequences=True))
steps.add(keras.layers.BatchNormalization(mode=0))
steps.compile("sgd", "mse")
def batches():
    while True:
        yield np.zeros((4, 3, 1)), np.zeros((4, 3, 5))
done = steps.fit_generator(batches(), samples_per_epoch=2, nb_epoch=3, verbose=0)
print(isinstance(steps, Model), isinstance(steps, keras.Sequential), type(steps).__name__)
print(steps.input_shape, len(done.history["loss"]), to_categorical([1], nb_classes=2))
model.compile(keras.optimizers.adam(lr=0.1), "mse")
print(type(model.optimizer).__name__, keras.constraints.maxnorm)
""",
        tmp_path,
    )
    assert done.stdout.splitlines() == [
        "[(None, 4, 4, 4), (None, 64), (None, 64), (None, 3)] 0.3",
        "True False",
        "(None, 2)",
        "True True Sequential",
        "(None, None, 1) 3 [[0. 1.]]",
        "Adam <class 'minitf.library.keras.constraints.MaxNorm'>",
    ], done.stderr


def test_a_program_in_python_2_is_told_so(tmp_path: Path) -> None:
    done = _run("import tensorflow as tf\nprint 'a'\n", tmp_path)
    last = done.stderr.splitlines()[-1]
    advice = (
        "`2to3 -w " + str(tmp_path / "program.py") + "`, of Python 3.12 and older, translates it."
    )
    assert last.endswith(advice)


#: By package: a program of its old names, and what the program prints.
PACKAGES = [
    (
        "PIL",
        "import numpy as np\n"
        "from scipy.misc import imread, imresize, imsave\nimport PIL.Image\n"
        "imsave('a.png', np.arange(48.0).reshape(4, 4, 3))\na = imread('a.png')\n"
        "print(a.shape, a.dtype, a.min(), a.max(), imread('a.png', True).ndim)\n"
        "print([imresize(a, size).shape for size in ((2, 3), 50, 2.0)], PIL.Image.ANTIALIAS)",
        "(4, 4, 3) uint8 0 255 2\n[(2, 3, 3), (2, 2, 3), (8, 8, 3)] 1\n",
    ),
    (
        "scipy",
        "from scipy.signal import gaussian, hann, windows\n"
        "print(hann(5).tolist(), gaussian is windows.gaussian)",
        "[0.0, 0.5, 1.0, 0.5, 0.0] True\n",
    ),
    (
        "sklearn",
        "from sklearn.cross_validation import train_test_split\n"
        "from sklearn.externals import joblib\n"
        "from sklearn.preprocessing import Imputer, OneHotEncoder\n"
        "print(OneHotEncoder(sparse=False).fit_transform([[1], [2]]).tolist())\n"
        "print(Imputer().fit_transform([[1.0], [float('nan')]]).tolist())",
        "[[1.0, 0.0], [0.0, 1.0]]\n[[1.0], [1.0]]\n",
    ),
    (
        "matplotlib",
        "import matplotlib\nmatplotlib.use('Agg')\nimport matplotlib.pyplot as plt\n"
        "plt.style.use('seaborn-darkgrid')\nplt.hold(True)\n"
        "print(plt.hist([1, 2, 3], bins=2, normed=True)[0].tolist())\n"
        "print(plt.figure().gca(projection='3d').name)",
        "[0.3333333333333333, 0.6666666666666666]\n3d\n",
    ),
    (
        "google.protobuf",
        "import tensorflow as tf\nfrom google.protobuf import text_format\n"
        "tf.identity(tf.placeholder(tf.float32, name='x'), name='y')\n"
        "text = text_format.MessageToString(tf.get_default_graph().as_graph_def())\n"
        "graph_def = text_format.Merge(text, tf.GraphDef())\n"
        "print([node.name for node in graph_def.node])",
        "['x', 'y']\n",
    ),
    (
        "pandas",
        "import pandas as pd\nd = pd.DataFrame({'a': [1, 2], 'b': [3, 4]})\n"
        "print(d.as_matrix().tolist(), list(d.drop('a', 1)), list(d.ix[:, 0:1]))\n"
        "print(d.ix[0, 'b'], d.append({'a': 9, 'b': 9}, ignore_index=True).shape)\n"
        "print(pd.concat([d, d], 1).shape)",
        "[[1, 3], [2, 4]] ['b'] ['a']\n3 (3, 2)\n(2, 4)\n",
    ),
    (
        "scipy",
        "import scipy.sparse as sp\nm = sp.csr_matrix([[0, 1j]])\n"
        "print(m.A.tolist(), m.tocoo().H.A.tolist())",
        "[[0j, 1j]] [[0j], [-1j]]\n",
    ),
    (
        "absl",
        "import sys\nimport tensorflow as tf\nfrom absl import app, flags\n"
        "tf.flags.DEFINE_integer('ours', 1, '')\nflags.DEFINE_integer('theirs', 2, '')\n"
        "def main(argv): print(argv[1:], tf.flags.FLAGS.ours, flags.FLAGS.theirs)\n"
        "args = ['x', '--theirs=3', 'a', '--ours=4']\n"
        "for run in tf.app.run, app.run:\n"
        "    try: run(main, argv=args)\n"
        "    except SystemExit: pass\n"
        "try: flags.FLAGS(['x', '--nobodys=1'])\n"
        "except flags.UnrecognizedFlagError as error: print(error)",
        "['a'] 4 3\n['a'] 4 3\nUnknown command line flag 'nobodys'\n",
    ),
]  # fmt: skip


def _is_installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:  # of what the package is in
        return False


def test_packages_have_their_names_back(tmp_path: Path) -> None:
    """All programs in one process: most of the time goes to what they import."""
    here = [each for each in PACKAGES if _is_installed(each[0])]
    done = _run("\n".join(program for _, program, _ in here), tmp_path)
    assert done.stdout == "".join(printed for _, _, printed in here), done.stderr
