"""The names of `tf.contrib.distributions.bijectors`."""

from minitf.compat.contrib.bijectors import Affine as Affine
from minitf.compat.contrib.bijectors import AffineLinearOperator as AffineLinearOperator
from minitf.compat.contrib.bijectors import AffineScalar as AffineScalar
from minitf.compat.contrib.bijectors import Bijector as Bijector
from minitf.compat.contrib.bijectors import Chain as Chain
from minitf.compat.contrib.bijectors import CholeskyOuterProduct as CholeskyOuterProduct
from minitf.compat.contrib.bijectors import Bijector as ConditionalBijector
from minitf.compat.contrib.bijectors import Exp as Exp
from minitf.compat.contrib.bijectors import Gumbel as Gumbel
from minitf.compat.contrib.bijectors import Identity as Identity
from minitf.compat.contrib.bijectors import Inline as Inline
from minitf.compat.contrib.bijectors import Invert as Invert
from minitf.compat.contrib.bijectors import Permute as Permute
from minitf.compat.contrib.bijectors import PowerTransform as PowerTransform
from minitf.compat.contrib.bijectors import Reshape as Reshape
from minitf.compat.contrib.bijectors import Sigmoid as Sigmoid
from minitf.compat.contrib.bijectors import SinhArcsinh as SinhArcsinh
from minitf.compat.contrib.bijectors import Softplus as Softplus
from minitf.compat.contrib.bijectors import Softsign as Softsign
from minitf.compat.contrib.bijectors import Square as Square
from minitf.compat.contrib.flows import MaskedAutoregressiveFlow as MaskedAutoregressiveFlow
from minitf.compat.contrib.flows import RealNVP as RealNVP
from minitf.compat.contrib.flows import masked_autoregressive_default_template as masked_autoregressive_default_template
from minitf.compat.contrib.flows import masked_dense as masked_dense
from minitf.compat.contrib.flows import real_nvp_default_template as real_nvp_default_template

__all__ = [
    "Affine", "AffineLinearOperator", "AffineScalar", "Bijector", "Chain",
    "CholeskyOuterProduct", "ConditionalBijector", "Exp", "Gumbel", "Identity", "Inline",
    "Invert", "MaskedAutoregressiveFlow", "Permute", "PowerTransform", "RealNVP", "Reshape",
    "Sigmoid", "SinhArcsinh", "Softplus", "Softsign", "Square",
    "masked_autoregressive_default_template", "masked_dense", "real_nvp_default_template"
]
