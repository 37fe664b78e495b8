"""The names of `minitf.datasets.features`: what examples are made of."""

from minitf.library.datasets.info import ClassLabel as ClassLabel
from minitf.library.datasets.info import FeaturesDict as FeaturesDict
from minitf.library.datasets.info import Image as Image
from minitf.library.datasets.info import Tensor as Tensor
from minitf.library.datasets.info import Text as Text
