"""The names of `tf.contrib.bayesflow.csiszar_divergence`."""

from minitf.compat.contrib.divergences import amari_alpha as amari_alpha
from minitf.compat.contrib.divergences import arithmetic_geometric as arithmetic_geometric
from minitf.compat.contrib.divergences import chi_square as chi_square
from minitf.compat.contrib.divergences import csiszar_vimco as csiszar_vimco
from minitf.compat.contrib.divergences import csiszar_vimco_helper as csiszar_vimco_helper
from minitf.compat.contrib.divergences import dual_csiszar_function as dual_csiszar_function
from minitf.compat.contrib.divergences import jeffreys as jeffreys
from minitf.compat.contrib.divergences import jensen_shannon as jensen_shannon
from minitf.compat.contrib.divergences import kl_forward as kl_forward
from minitf.compat.contrib.divergences import kl_reverse as kl_reverse
from minitf.compat.contrib.divergences import log1p_abs as log1p_abs
from minitf.compat.contrib.divergences import modified_gan as modified_gan
from minitf.compat.contrib.divergences import monte_carlo_csiszar_f_divergence as monte_carlo_csiszar_f_divergence
from minitf.compat.contrib.divergences import pearson as pearson
from minitf.compat.contrib.divergences import squared_hellinger as squared_hellinger
from minitf.compat.contrib.divergences import symmetrized_csiszar_function as symmetrized_csiszar_function
from minitf.compat.contrib.divergences import t_power as t_power
from minitf.compat.contrib.divergences import total_variation as total_variation
from minitf.compat.contrib.divergences import triangular as triangular
