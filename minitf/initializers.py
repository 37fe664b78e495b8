"""The namespace `tf.initializers`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.ops.lookup: tables_initializer
minitf.variables.initialization: global_variables=global_variables_initializer
    local_variables=local_variables_initializer variables=variables_initializer
minitf.variables.initializers: Constant GlorotNormal GlorotUniform Identity Initializer Ones
    Orthogonal RandomNormal RandomUniform TruncatedNormal UniformUnitScaling VarianceScaling Zeros
    constant=Constant glorot_normal=GlorotNormal glorot_uniform=GlorotUniform he_normal he_uniform
    identity=Identity lecun_normal lecun_uniform ones=Ones orthogonal=Orthogonal
    random_normal=RandomNormal random_uniform=RandomUniform truncated_normal=TruncatedNormal
    uniform_unit_scaling=UniformUnitScaling variance_scaling=VarianceScaling zeros=Zeros
""",
)
