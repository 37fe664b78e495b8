"""The names of `tf.contrib.bayesflow.entropy`."""

from minitf.compat.contrib.variational_inference import ELBOForms as ELBOForms
from minitf.compat.contrib.variational_inference import elbo_ratio as elbo_ratio
from minitf.compat.contrib.variational_inference import entropy_shannon as entropy_shannon
from minitf.compat.contrib.variational_inference import renyi_alpha as renyi_alpha
from minitf.compat.contrib.variational_inference import renyi_ratio as renyi_ratio
