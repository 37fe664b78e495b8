"""The names of `tf.contrib.distributions.bijectors`."""

from minitf.compat.contrib.bijectors import AbsoluteValue as AbsoluteValue
from minitf.compat.contrib.bijectors import Affine as Affine
from minitf.compat.contrib.bijectors import AffineLinearOperator as AffineLinearOperator
from minitf.compat.contrib.bijectors import AffineScalar as AffineScalar
from minitf.compat.contrib.bijectors import Bijector as Bijector
from minitf.compat.contrib.bijectors import Chain as Chain
from minitf.compat.contrib.bijectors import CholeskyOuterProduct as CholeskyOuterProduct
from minitf.compat.contrib.bijectors import Bijector as ConditionalBijector
from minitf.compat.contrib.bijectors import Exp as Exp
from minitf.compat.contrib.bijectors import FillTriangular as FillTriangular
from minitf.compat.contrib.bijectors import Gumbel as Gumbel
from minitf.compat.contrib.bijectors import Identity as Identity
from minitf.compat.contrib.bijectors import Inline as Inline
from minitf.compat.contrib.bijectors import Invert as Invert
from minitf.compat.contrib.bijectors import Kumaraswamy as Kumaraswamy
from minitf.compat.contrib.bijectors import MatrixInverseTriL as MatrixInverseTriL
from minitf.compat.contrib.bijectors import Ordered as Ordered
from minitf.compat.contrib.bijectors import Permute as Permute
from minitf.compat.contrib.bijectors import PowerTransform as PowerTransform
from minitf.compat.contrib.bijectors import Reshape as Reshape
from minitf.compat.contrib.bijectors import ScaleTriL as ScaleTriL
from minitf.compat.contrib.bijectors import Sigmoid as Sigmoid
from minitf.compat.contrib.bijectors import SinhArcsinh as SinhArcsinh
from minitf.compat.contrib.bijectors import SoftmaxCentered as SoftmaxCentered
from minitf.compat.contrib.bijectors import Softplus as Softplus
from minitf.compat.contrib.bijectors import Softsign as Softsign
from minitf.compat.contrib.bijectors import Square as Square
from minitf.compat.contrib.bijectors import TransformDiagonal as TransformDiagonal
from minitf.compat.contrib.bijectors import Weibull as Weibull
from minitf.compat.contrib.flows import BatchNormalization as BatchNormalization
from minitf.compat.contrib.flows import MaskedAutoregressiveFlow as MaskedAutoregressiveFlow
from minitf.compat.contrib.flows import RealNVP as RealNVP
from minitf.compat.contrib.flows import masked_autoregressive_default_template as masked_autoregressive_default_template
from minitf.compat.contrib.flows import masked_dense as masked_dense
from minitf.compat.contrib.flows import real_nvp_default_template as real_nvp_default_template

__all__ = [
    "AbsoluteValue", "Affine", "AffineLinearOperator", "AffineScalar", "BatchNormalization",
    "Bijector", "Chain", "CholeskyOuterProduct", "ConditionalBijector", "Exp", "FillTriangular",
    "Gumbel", "Identity", "Inline", "Invert", "Kumaraswamy", "MaskedAutoregressiveFlow",
    "MatrixInverseTriL", "Ordered", "Permute", "PowerTransform", "RealNVP", "Reshape",
    "ScaleTriL", "Sigmoid", "SinhArcsinh", "SoftmaxCentered", "Softplus", "Softsign", "Square",
    "TransformDiagonal", "Weibull", "masked_autoregressive_default_template", "masked_dense",
    "real_nvp_default_template"
]
