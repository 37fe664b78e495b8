"""Names of `tf.contrib` that few programs call: columns, settings, failures, examples."""

import pytest

import minitf as tf

layers, training, util = tf.contrib.layers, tf.contrib.training, tf.contrib.util


def test_settings_are_read_without_an_object() -> None:
    kinds = {"rate": float, "units": int, "on": bool}
    got = training.parse_values("rate=.5, units=[8,4],on=true", kinds)
    assert got == {"rate": 0.5, "units": [8, 4], "on": True}
    assert training.parse_values("units[2]=7,units[0]=1", kinds) == {"units": {2: 7, 0: 1}}
    assert training.parse_values("x=1,rate=2", kinds, ignore_unknown=True) == {"rate": 2.0}
    for text, message in [
        ("x=1", "Unknown hyperparameter type for x"),
        ("rate=1,rate=2", "Multiple assignments to variable 'rate'"),
        ("rate=1,rate[0]=2", "Multiple assignments to variable 'rate'"),
        ("units[1]=1,units[1]=2", r"Multiple assignments to variable 'units\[1\]'"),
        ("rate=fast", "Could not parse hparam"),
        ("=1", "Malformed hyperparameter value: =1"),
    ]:
        with pytest.raises(ValueError, match=message):
            training.parse_values(text, kinds)
    settings = training.HParams(units=[1, 2], rate=0.1).parse("units[3]=9,rate=1")
    assert settings.units == [1, 2, None, 9] and settings.rate == 1.0
