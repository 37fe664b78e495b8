"""The namespace `tf.initializers`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.variables.initialization: global_variables=global_variables_initializer
    local_variables=local_variables_initializer tables_initializer
    variables=variables_initializer
minitf.variables.initializers: Constant GlorotNormal GlorotUniform Initializer Ones
    RandomNormal RandomUniform TruncatedNormal UniformUnitScaling VarianceScaling Zeros
    constant=Constant glorot_normal=GlorotNormal glorot_uniform=GlorotUniform he_normal he_uniform
    lecun_normal lecun_uniform ones=Ones
    random_normal=RandomNormal random_uniform=RandomUniform truncated_normal=TruncatedNormal
    uniform_unit_scaling=UniformUnitScaling variance_scaling=VarianceScaling zeros=Zeros
minitf.variables.orthogonal: Identity Orthogonal identity=Identity orthogonal=Orthogonal
""",
)
