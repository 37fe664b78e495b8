"""Probability distributions."""

from ..case import programs, table

PRELUDE = """
    d = tf.distributions
    p = tf.constant([.5, 2., 3.], name="p"); q = tf.constant([1.5, .7, 4.], name="q")
    x = tf.constant([.2, .7, 1.4], name="x"); u = tf.constant([.1, .5, .95], name="u")
    k = tf.constant([0, 1, 1]); t = tf.constant([[.2, -1., 2.], [0., .3, -.4]], name="t")
    c = tf.constant([[1., 2., 0.], [0., 1., 2.]], name="c"); g = tf.constant([[.2, .3, .5], [.6, .3, .1]], name="g")
    a = tf.constant([[1.5, 2., .7], [3., .3, 2.4]], name="a")
"""

KINDS = {
    "normal": (
        "d.Normal(p, q)",
        "x",
        "p q",
        "log_prob prob",
    ),
    "bernoulli": ("d.Bernoulli(logits=p)", "k", "p", "log_prob prob"),
    "bernoulli_probs": ("d.Bernoulli(probs=u)", "k", "u", "log_prob prob"),
    "categorical": ("d.Categorical(logits=t)", "[2, 0]", "t", "log_prob prob"),
    "categorical_probs": ("d.Categorical(probs=g)", "[2, 0]", "g", "log_prob prob"),
}
STATISTICS = {
    "normal": "mean variance stddev mode entropy",
    "bernoulli": "mean variance stddev mode entropy",
    "categorical": "mode entropy",
}


def _rows() -> str:
    rows = []
    for kind, (made, value, inputs, functions) in KINDS.items():
        rows += [f"{kind}_{name} | {made}.{name}({value}) | {inputs}" for name in functions.split()]
        statistics = STATISTICS.get(kind, "").split()
        rows += [f"{kind}_{name} | {made}.{name}()" for name in statistics]
    return "\n".join(rows)


MORE = """
normal_broadcasts | d.Normal([[0.], [1.]], q).log_prob([[1.], [2.]])
categorical_sizes | d.Categorical(logits=t).event_size
categorical_samples_first | d.Categorical(logits=t).log_prob([[2, 0], [1, 1], [0, 2]])
kl_normal | d.kl_divergence(d.Normal(p, q), d.Normal(q, p)) | p q
kl_bernoulli | d.kl_divergence(d.Bernoulli(logits=p), d.Bernoulli(logits=q)) | p q
kl_categorical | d.kl_divergence(d.Categorical(logits=t), d.Categorical(probs=g)) | t
cross_entropy | d.Normal(p, q).cross_entropy(d.Normal(q, p))
batch_shape | d.Normal([[0.], [1.]], q).batch_shape_tensor()
sample_gradient | tf.gradients(tf.reduce_sum(d.Normal(p, q).sample(4, seed=1)), [p, q])[0]
"""

FAILS = """
both | d.Bernoulli(logits=1., probs=.5)
neither | d.Categorical()
integers | d.Normal(0, 1)
"""

CASES = [
    *table("distributions", PRELUDE, _rows() + MORE, rtol=2e-4, word="value"),
    *table("distributions_fail", PRELUDE, FAILS, word="fails"),
    *programs(
        "distributions",
        {
            "draws": """
            d = tf.distributions
            moments(d.Normal(1., 2.).sample(20000, seed=3))
        """,
        },
        rtol=1e-4,
    ),
]
