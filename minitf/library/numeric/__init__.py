"""Numerical operations beyond the core: decompositions, spectra, special functions, sorting."""
