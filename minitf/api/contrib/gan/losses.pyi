"""The names of `tf.contrib.gan.losses`."""

from minitf.api.contrib.gan import wargs as wargs
from minitf.compat.contrib.gan_losses import of_acgan_discriminator as acgan_discriminator_loss
from minitf.compat.contrib.gan_losses import of_acgan_generator as acgan_generator_loss
from minitf.compat.contrib.gan_losses import of_combined as combine_adversarial_loss
from minitf.compat.contrib.gan_losses import of_cycle as cycle_consistency_loss
from minitf.compat.contrib.gan_losses import of_least_squares_discriminator as least_squares_discriminator_loss
from minitf.compat.contrib.gan_losses import of_least_squares_generator as least_squares_generator_loss
from minitf.compat.contrib.gan_losses import of_minimax_discriminator as minimax_discriminator_loss
from minitf.compat.contrib.gan_losses import of_minimax_generator as minimax_generator_loss
from minitf.compat.contrib.gan_losses import of_modified_discriminator as modified_discriminator_loss
from minitf.compat.contrib.gan_losses import of_modified_generator as modified_generator_loss
from minitf.compat.contrib.gan_losses import of_mutual_information as mutual_information_penalty
from minitf.compat.contrib.gan_losses import of_wasserstein_discriminator as wasserstein_discriminator_loss
from minitf.compat.contrib.gan_losses import of_wasserstein_generator as wasserstein_generator_loss
from minitf.compat.contrib.gan_losses import of_gradient_penalty as wasserstein_gradient_penalty

__all__ = [
    "acgan_discriminator_loss", "acgan_generator_loss", "combine_adversarial_loss",
    "cycle_consistency_loss", "least_squares_discriminator_loss",
    "least_squares_generator_loss", "minimax_discriminator_loss", "minimax_generator_loss",
    "modified_discriminator_loss", "modified_generator_loss", "mutual_information_penalty",
    "wargs", "wasserstein_discriminator_loss", "wasserstein_generator_loss",
    "wasserstein_gradient_penalty"
]
