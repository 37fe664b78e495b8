"""The names of `tf.contrib.image`."""

from minitf.compat.contrib.image import angles_to_projective_transforms as angles_to_projective_transforms
from minitf.compat.contrib.image import compose_transforms as compose_transforms
from minitf.compat.contrib.image import flat_transforms_to_matrices as flat_transforms_to_matrices
from minitf.compat.contrib.image import matrices_to_flat_transforms as matrices_to_flat_transforms
from minitf.compat.contrib.image import rotate as rotate
from minitf.compat.contrib.image import transform as transform
from minitf.compat.contrib.image import translate as translate
from minitf.compat.contrib.image import translations_to_projective_transforms as translations_to_projective_transforms
from minitf.compat.contrib.image_distortions import adjust_hsv_in_yiq as adjust_hsv_in_yiq
from minitf.compat.contrib.image_distortions import random_hsv_in_yiq as random_hsv_in_yiq
from minitf.compat.contrib.image_matches import bipartite_match as bipartite_match
from minitf.compat.contrib.image_matches import connected_components as connected_components
from minitf.compat.contrib.image_stereograms import single_image_random_dot_stereograms as single_image_random_dot_stereograms
from minitf.compat.contrib.image_warp import dense_image_warp as dense_image_warp
from minitf.compat.contrib.image_warp import interpolate_spline as interpolate_spline
from minitf.compat.contrib.image_warp import sparse_image_warp as sparse_image_warp
