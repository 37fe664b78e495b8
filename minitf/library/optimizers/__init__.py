"""Optimizers beyond the core's three, schedules of rates, and moving averages."""
