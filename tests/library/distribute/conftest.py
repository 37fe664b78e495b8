"""Devices that a test simulates are gone when it is over, also for what runs eagerly."""

from collections.abc import Iterator

import pytest

from minitf.library.eager import kernels


@pytest.fixture(autouse=True)
def devices_of_each_test() -> Iterator[None]:
    yield
    kernels._devices.cache_clear()
