"""The names of `tf.contrib.gan`."""

from minitf.api.contrib.gan import estimator as estimator
from minitf.api.contrib.gan import eval as eval
from minitf.api.contrib.gan import features as features
from minitf.api.contrib.gan import losses as losses
from minitf.compat.contrib.gan import RunTrainOpsHook as RunTrainOpsHook
from minitf.compat.contrib.gan import acgan_model as acgan_model
from minitf.compat.contrib.gan import cyclegan_loss as cyclegan_loss
from minitf.compat.contrib.gan import cyclegan_model as cyclegan_model
from minitf.compat.contrib.gan import gan_loss as gan_loss
from minitf.compat.contrib.gan import gan_model as gan_model
from minitf.compat.contrib.gan import gan_train as gan_train
from minitf.compat.contrib.gan import gan_train_ops as gan_train_ops
from minitf.compat.contrib.gan import get_joint_train_hooks as get_joint_train_hooks
from minitf.compat.contrib.gan import get_sequential_train_hooks as get_sequential_train_hooks
from minitf.compat.contrib.gan import get_sequential_train_steps as get_sequential_train_steps
from minitf.compat.contrib.gan import infogan_model as infogan_model
from minitf.compat.contrib.gan_models import ACGANModel as ACGANModel
from minitf.compat.contrib.gan_models import CycleGANLoss as CycleGANLoss
from minitf.compat.contrib.gan_models import CycleGANModel as CycleGANModel
from minitf.compat.contrib.gan_models import GANLoss as GANLoss
from minitf.compat.contrib.gan_models import GANModel as GANModel
from minitf.compat.contrib.gan_models import GANTrainOps as GANTrainOps
from minitf.compat.contrib.gan_models import GANTrainSteps as GANTrainSteps
from minitf.compat.contrib.gan_models import InfoGANModel as InfoGANModel
