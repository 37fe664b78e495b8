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
        "log_prob prob cdf log_cdf survival_function log_survival_function",
    ),
    "laplace": ("d.Laplace(p, q)", "x", "p q", "log_prob prob cdf log_cdf"),
    "student": ("d.StudentT(q + 2., p, q)", "x", "p q", "log_prob prob"),
    "uniform": ("d.Uniform(-p, q)", "x", "p q", "prob log_prob cdf"),
    "gamma": ("d.Gamma(p, q)", "x", "q", "log_prob prob"),
    "exponential": ("d.Exponential(q)", "x", "q", "log_prob prob"),
    "beta": ("d.Beta(p, q)", "u", "", "log_prob prob"),
    "dirichlet": ("d.Dirichlet(a)", "g", "", "log_prob prob"),
    "bernoulli": ("d.Bernoulli(logits=p)", "k", "p", "log_prob prob"),
    "bernoulli_probs": ("d.Bernoulli(probs=u)", "k", "u", "log_prob prob"),
    "categorical": ("d.Categorical(logits=t)", "[2, 0]", "t", "log_prob prob cdf"),
    "categorical_probs": ("d.Categorical(probs=g)", "[2, 0]", "g", "log_prob prob"),
    "multinomial": ("d.Multinomial([3., 3.], logits=t)", "c", "t", "log_prob prob"),
    "dirichlet_multinomial": ("d.DirichletMultinomial(3., a)", "c", "", "log_prob prob"),
}
STATISTICS = {
    "normal": "mean variance stddev mode entropy",
    "laplace": "mean variance stddev mode entropy",
    "student": "mean variance mode entropy",
    "uniform": "mean variance stddev entropy range",
    "gamma": "mean variance stddev mode entropy",
    "exponential": "mean variance stddev mode entropy",
    "beta": "mean variance stddev mode entropy",
    "dirichlet": "mean variance stddev covariance entropy",
    "bernoulli": "mean variance stddev mode entropy",
    "categorical": "mode entropy",
    "multinomial": "mean variance stddev covariance",
    "dirichlet_multinomial": "mean variance stddev covariance",
}


def _rows() -> str:
    rows = []
    for kind, (made, value, inputs, functions) in KINDS.items():
        rows += [f"{kind}_{name} | {made}.{name}({value}) | {inputs}" for name in functions.split()]
        statistics = STATISTICS.get(kind, "").split()
        rows += [f"{kind}_{name} | {made}.{name}()" for name in statistics]
    return "\n".join(rows)


MORE = """
normal_far_below | tf.exp(d.Normal(0., 1.).log_cdf(tf.constant([-30., -12., -5., 0., 4., 9.])) / 10.)
normal_broadcasts | d.Normal([[0.], [1.]], q).log_prob([[1.], [2.]])
normal_quantile | d.Normal(p, q).quantile(u)
student_cdf | d.StudentT(q + 2., p, q).cdf(x)
student_undefined | d.StudentT([.5, 1.5, 3.], 0., 1.).variance()
gamma_cdf | d.Gamma(p, q).cdf(x)
gamma_no_mode | d.Gamma([.5, 2.], 1.).mode()
beta_cdf | d.Beta(p, q).cdf(u)
exponential_cdf | d.Exponential(q).cdf(x)
dirichlet_mode | d.Dirichlet([2., 1.5, 3.]).mode()
categorical_sizes | d.Categorical(logits=t).event_size
categorical_samples_first | d.Categorical(logits=t).log_prob([[2, 0], [1, 1], [0, 2]])
kl_normal | d.kl_divergence(d.Normal(p, q), d.Normal(q, p)) | p q
kl_gamma | d.Gamma(p, q).kl_divergence(d.Gamma(q, p))
kl_exponential | d.Exponential(p).kl_divergence(d.Exponential(q))
kl_beta | d.kl_divergence(d.Beta(p, q), d.Beta(q, p))
kl_dirichlet | d.kl_divergence(d.Dirichlet(a), d.Dirichlet(a + 1.))
kl_bernoulli | d.kl_divergence(d.Bernoulli(logits=p), d.Bernoulli(logits=q)) | p q
kl_categorical | d.kl_divergence(d.Categorical(logits=t), d.Categorical(probs=g)) | t
cross_entropy | d.Normal(p, q).cross_entropy(d.Normal(q, p))
batch_shape | d.Normal([[0.], [1.]], q).batch_shape_tensor()
event_shape | d.Dirichlet(a).event_shape_tensor()
sample_gradient | tf.gradients(tf.reduce_sum(d.Normal(p, q).sample(4, seed=1)), [p, q])[0]
"""

FAILS = """
both | d.Bernoulli(logits=1., probs=.5)
neither | d.Categorical()
integers | d.Normal(0, 1)
no_covariance | d.Normal(0., 1.).covariance()
no_quantile | d.Laplace(0., 1.).quantile(.5)
no_kl | d.kl_divergence(d.Normal(0., 1.), d.Laplace(0., 1.))
"""

CASES = [
    *table("distributions", PRELUDE, _rows() + MORE, rtol=2e-4, word="value"),
    *table("distributions_fail", PRELUDE, FAILS, word="fails"),
    *programs(
        "distributions",
        {
            "shown": """
            d = tf.distributions
            for each in (d.Normal(0., [1., 2.]), d.Dirichlet([[1., 2.]]), d.Categorical([.1, .2, .3]), d.Multinomial(3., [.1, .2])):
                show(str(each), repr(each), str(each.reparameterization_type), each.name)
                show(each.batch_shape.as_list(), each.event_shape.as_list(), each.sample([2, 3]).shape.as_list())
        """,
            "copied": """
            n = tf.distributions.Normal(loc=1., scale=[1., 2.])
            m = n.copy(scale=3.)
            show(run([m.loc, m.scale, n.scale]), sorted(m.parameters.items(), key=str))
        """,
            "shapes_of_parameters": """
            d = tf.distributions
            for each in (d.Normal, d.Laplace, d.StudentT, d.Uniform, d.Gamma, d.Exponential, d.Beta, d.Bernoulli):
                show(each.__name__, {k: v.as_list() for k, v in each.param_static_shapes([2, 3]).items()})
                show({k: (v.name, v.dtype, v.shape, run(v)) for k, v in each.param_shapes([2, 3]).items()})
            for each in (d.Categorical, d.Dirichlet, d.Multinomial):
                fails(lambda each=each: each.param_static_shapes([2]))
        """,
            "special_functions": """
            try: from tensorflow.python.ops.distributions import special_math
            except ImportError: special_math = tf.contrib.bayesflow.special_math
            for x in (tf.constant([-40., -20.5, -9., 0., 2., 4.9, 5.1]), tf.constant([-40., -20.5, -3., 0., 7.9, 8.5], tf.float64)):
                for f in (special_math.ndtr, special_math.log_ndtr, special_math.log_cdf_laplace):
                    value(f(x), x)
                value(special_math.log_ndtr(x, series_order=1), x)
                show(special_math.ndtr(x).shape.as_list())
            for order in (-1, 31):
                fails(lambda: special_math.log_ndtr(x, order))
        """,
            "registered": """
            d = tf.distributions
            class Mine(d.Normal):
                pass
            @d.RegisterKL(Mine, d.Laplace)
            def far(a, b, name=None):
                return tf.constant(7.)
            show(run(d.kl_divergence(Mine(0., 1.), d.Laplace(0., 1.))), run(d.kl_divergence(Mine(0., 1.), d.Normal(1., 2.))))
        """,
            "draws": """
            d = tf.distributions
            for each in (d.Normal(1., 2.), d.Uniform(-1., 3.)):
                moments(each.sample(20000, seed=3))
        """,
            "moments_of_draws": """
            d = tf.distributions
            for each in (d.Gamma(3., 2.), d.Beta(2., 3.), d.StudentT(9., 1., 2.), d.Dirichlet([2., 1.]), d.Bernoulli(probs=.3),
                         d.Categorical(probs=[.2, .3, .5]), d.Multinomial(4., probs=[.25, .75]), d.DirichletMultinomial(5., [2., 6.])):
                drawn = tf.cast(each.sample(4000, seed=5), tf.float32)
                show(np.round(run(tf.reduce_mean(drawn, 0)), 0), drawn.shape.as_list())
        """,
        },
        rtol=1e-4,
    ),
]
