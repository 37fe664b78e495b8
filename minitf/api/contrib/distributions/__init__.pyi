"""The names of `tf.contrib.distributions`."""

from minitf.api.contrib.distributions import bijectors as bijectors
from minitf.compat.contrib.bijectors import TransformedDistribution as ConditionalTransformedDistribution
from minitf.compat.contrib.bijectors import MultivariateNormalDiagPlusLowRank as MultivariateNormalDiagPlusLowRank
from minitf.compat.contrib.bijectors import MultivariateNormalFullCovariance as MultivariateNormalFullCovariance
from minitf.compat.contrib.bijectors import MultivariateNormalTriL as MultivariateNormalTriL
from minitf.compat.contrib.bijectors import RelaxedBernoulli as RelaxedBernoulli
from minitf.compat.contrib.bijectors import TransformedDistribution as TransformedDistribution
from minitf.compat.contrib.bijectors import VectorExponentialDiag as VectorExponentialDiag
from minitf.compat.contrib.bijectors import VectorLaplaceDiag as VectorLaplaceDiag
from minitf.compat.contrib.bijectors import fill_triangular as fill_triangular
from minitf.compat.contrib.bijectors import fill_triangular_inverse as fill_triangular_inverse
from minitf.compat.contrib.compounds import Autoregressive as Autoregressive
from minitf.compat.contrib.compounds import BatchReshape as BatchReshape
from minitf.compat.contrib.compounds import PoissonLogNormalQuadratureCompound as PoissonLogNormalQuadratureCompound
from minitf.compat.contrib.compounds import SinhArcsinh as SinhArcsinh
from minitf.compat.contrib.compounds import VectorDiffeomixture as VectorDiffeomixture
from minitf.compat.contrib.compounds import VectorSinhArcsinhDiag as VectorSinhArcsinhDiag
from minitf.compat.contrib.compounds import WishartCholesky as WishartCholesky
from minitf.compat.contrib.compounds import WishartFull as WishartFull
from minitf.compat.contrib.compounds import quadrature_scheme_lognormal_gauss_hermite as quadrature_scheme_lognormal_gauss_hermite
from minitf.compat.contrib.compounds import quadrature_scheme_lognormal_quantiles as quadrature_scheme_lognormal_quantiles
from minitf.compat.contrib.compounds import quadrature_scheme_softmaxnormal_gauss_hermite as quadrature_scheme_softmaxnormal_gauss_hermite
from minitf.compat.contrib.compounds import quadrature_scheme_softmaxnormal_quantiles as quadrature_scheme_softmaxnormal_quantiles
from minitf.compat.contrib.distribution_functions import SeedStream as SeedStream
from minitf.compat.contrib.distribution_functions import auto_correlation as auto_correlation
from minitf.compat.contrib.distribution_functions import matrix_diag_transform as matrix_diag_transform
from minitf.compat.contrib.distribution_functions import normal_conjugates_known_scale_posterior as normal_conjugates_known_scale_posterior
from minitf.compat.contrib.distribution_functions import normal_conjugates_known_scale_predictive as normal_conjugates_known_scale_predictive
from minitf.compat.contrib.distribution_functions import reduce_weighted_logsumexp as reduce_weighted_logsumexp
from minitf.compat.contrib.distribution_functions import tridiag as tridiag
from minitf.compat.contrib.learn_heads import estimator_head_distribution_regression as estimator_head_distribution_regression
from minitf.compat.contrib.small_functions import assign_log_moving_mean_exp as assign_log_moving_mean_exp
from minitf.compat.contrib.small_functions import assign_moving_mean_variance as assign_moving_mean_variance
from minitf.compat.contrib.small_functions import moving_mean_variance as moving_mean_variance
from minitf.compat.contrib.small_functions import percentile as percentile
from minitf.library.distributions.base import Distribution as ConditionalDistribution
from minitf.library.distributions.base import Distribution as Distribution
from minitf.library.distributions.base import FULLY_REPARAMETERIZED as FULLY_REPARAMETERIZED
from minitf.library.distributions.base import NOT_REPARAMETERIZED as NOT_REPARAMETERIZED
from minitf.library.distributions.base import RegisterKL as RegisterKL
from minitf.library.distributions.base import ReparameterizationType as ReparameterizationType
from minitf.library.distributions.base import kl_divergence as kl_divergence
from minitf.library.distributions.continuous import Beta as Beta
from minitf.library.distributions.continuous import BetaWithSoftplusConcentration as BetaWithSoftplusConcentration
from minitf.library.distributions.continuous import Cauchy as Cauchy
from minitf.library.distributions.continuous import Chi2 as Chi2
from minitf.library.distributions.continuous import Chi2WithAbsDf as Chi2WithAbsDf
from minitf.library.distributions.continuous import Dirichlet as Dirichlet
from minitf.library.distributions.continuous import Exponential as Exponential
from minitf.library.distributions.continuous import ExponentialWithSoftplusRate as ExponentialWithSoftplusRate
from minitf.library.distributions.continuous import Gamma as Gamma
from minitf.library.distributions.continuous import GammaWithSoftplusConcentrationRate as GammaWithSoftplusConcentrationRate
from minitf.library.distributions.continuous import HalfNormal as HalfNormal
from minitf.library.distributions.continuous import InverseGamma as InverseGamma
from minitf.library.distributions.continuous import InverseGammaWithSoftplusConcentrationRate as InverseGammaWithSoftplusConcentrationRate
from minitf.library.distributions.continuous import Kumaraswamy as Kumaraswamy
from minitf.library.distributions.continuous import Laplace as Laplace
from minitf.library.distributions.continuous import LaplaceWithSoftplusScale as LaplaceWithSoftplusScale
from minitf.library.distributions.continuous import Logistic as Logistic
from minitf.library.distributions.continuous import Normal as Normal
from minitf.library.distributions.continuous import NormalWithSoftplusScale as NormalWithSoftplusScale
from minitf.library.distributions.continuous import StudentT as StudentT
from minitf.library.distributions.continuous import StudentTWithAbsDfSoftplusScale as StudentTWithAbsDfSoftplusScale
from minitf.library.distributions.continuous import Uniform as Uniform
from minitf.library.distributions.discrete import Bernoulli as Bernoulli
from minitf.library.distributions.discrete import Binomial as Binomial
from minitf.library.distributions.discrete import Categorical as Categorical
from minitf.library.distributions.discrete import DirichletMultinomial as DirichletMultinomial
from minitf.library.distributions.discrete import Geometric as Geometric
from minitf.library.distributions.discrete import Multinomial as Multinomial
from minitf.library.distributions.discrete import NegativeBinomial as NegativeBinomial
from minitf.library.distributions.multivariate import Deterministic as Deterministic
from minitf.library.distributions.multivariate import ExpRelaxedOneHotCategorical as ExpRelaxedOneHotCategorical
from minitf.library.distributions.multivariate import Independent as Independent
from minitf.library.distributions.multivariate import Mixture as Mixture
from minitf.library.distributions.multivariate import MixtureSameFamily as MixtureSameFamily
from minitf.library.distributions.multivariate import MultivariateNormalDiag as MultivariateNormalDiag
from minitf.library.distributions.multivariate import MultivariateNormalDiagWithSoftplusScale as MultivariateNormalDiagWithSoftplusScale
from minitf.library.distributions.multivariate import OneHotCategorical as OneHotCategorical
from minitf.library.distributions.multivariate import Poisson as Poisson
from minitf.library.distributions.multivariate import QuantizedDistribution as QuantizedDistribution
from minitf.library.distributions.multivariate import RelaxedOneHotCategorical as RelaxedOneHotCategorical
from minitf.library.distributions.multivariate import VectorDeterministic as VectorDeterministic
from minitf.library.distributions.multivariate import softplus_inverse as softplus_inverse

__all__ = [
    "Autoregressive", "BatchReshape", "Bernoulli", "Beta", "BetaWithSoftplusConcentration",
    "Binomial", "Categorical", "Cauchy", "Chi2", "Chi2WithAbsDf", "ConditionalDistribution",
    "ConditionalTransformedDistribution", "Deterministic", "Dirichlet", "DirichletMultinomial",
    "Distribution", "ExpRelaxedOneHotCategorical", "Exponential", "ExponentialWithSoftplusRate",
    "FULLY_REPARAMETERIZED", "Gamma", "GammaWithSoftplusConcentrationRate", "Geometric",
    "HalfNormal", "Independent", "InverseGamma", "InverseGammaWithSoftplusConcentrationRate",
    "Kumaraswamy", "Laplace", "LaplaceWithSoftplusScale", "Logistic", "Mixture",
    "MixtureSameFamily", "Multinomial", "MultivariateNormalDiag",
    "MultivariateNormalDiagPlusLowRank", "MultivariateNormalDiagWithSoftplusScale",
    "MultivariateNormalFullCovariance", "MultivariateNormalTriL", "NOT_REPARAMETERIZED",
    "NegativeBinomial", "Normal", "NormalWithSoftplusScale", "OneHotCategorical", "Poisson",
    "PoissonLogNormalQuadratureCompound", "QuantizedDistribution", "RegisterKL",
    "RelaxedBernoulli", "RelaxedOneHotCategorical", "ReparameterizationType", "SeedStream",
    "SinhArcsinh", "StudentT", "StudentTWithAbsDfSoftplusScale", "TransformedDistribution",
    "Uniform", "VectorDeterministic", "VectorDiffeomixture", "VectorExponentialDiag",
    "VectorLaplaceDiag", "VectorSinhArcsinhDiag", "WishartCholesky", "WishartFull",
    "assign_log_moving_mean_exp", "assign_moving_mean_variance", "auto_correlation",
    "bijectors", "estimator_head_distribution_regression", "fill_triangular",
    "fill_triangular_inverse", "kl_divergence", "matrix_diag_transform", "moving_mean_variance",
    "normal_conjugates_known_scale_posterior", "normal_conjugates_known_scale_predictive",
    "percentile", "quadrature_scheme_lognormal_gauss_hermite",
    "quadrature_scheme_lognormal_quantiles", "quadrature_scheme_softmaxnormal_gauss_hermite",
    "quadrature_scheme_softmaxnormal_quantiles", "reduce_weighted_logsumexp",
    "softplus_inverse", "tridiag"
]
