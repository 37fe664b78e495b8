"""Operations: each has one declaration with its kernel, shape function and gradient."""
