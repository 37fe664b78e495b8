"""The names of `tf.contrib.image`."""

from minitf.compat.contrib.image import angles_to_projective_transforms as angles_to_projective_transforms
from minitf.compat.contrib.image import compose_transforms as compose_transforms
from minitf.compat.contrib.image import flat_transforms_to_matrices as flat_transforms_to_matrices
from minitf.compat.contrib.image import matrices_to_flat_transforms as matrices_to_flat_transforms
from minitf.compat.contrib.image import rotate as rotate
from minitf.compat.contrib.image import transform as transform
from minitf.compat.contrib.image import translate as translate
from minitf.compat.contrib.image import translations_to_projective_transforms as translations_to_projective_transforms
