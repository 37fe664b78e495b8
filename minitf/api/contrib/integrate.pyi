"""The names of `tf.contrib.integrate`."""

from minitf.compat.contrib.odes import odeint as odeint
from minitf.compat.contrib.odes import odeint_fixed as odeint_fixed
