"""The namespace `tf.random`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.ops.candidate_sampling: all_candidate_sampler fixed_unigram_candidate_sampler
    learned_unigram_candidate_sampler log_uniform_candidate_sampler uniform_candidate_sampler
minitf.ops.random: categorical get_seed multinomial normal=random_normal set_random_seed
    set_seed=set_random_seed shuffle=random_shuffle truncated_normal uniform=random_uniform
minitf.ops.random_more: gamma=random_gamma poisson=random_poisson stateless_categorical
    stateless_multinomial stateless_normal=stateless_random_normal stateless_truncated_normal
    stateless_uniform=stateless_random_uniform
""",
)
