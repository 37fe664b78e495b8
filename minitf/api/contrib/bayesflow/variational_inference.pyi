"""The names of `tf.contrib.bayesflow.variational_inference`."""

from minitf.compat.contrib.variational_inference import ELBOForms as ELBOForms
from minitf.compat.contrib.variational_inference import elbo as elbo
from minitf.compat.contrib.variational_inference import elbo_with_log_joint as elbo_with_log_joint
from minitf.compat.contrib.variational_inference import register_prior as register_prior
