"""Functions that share the variables of their first call."""

import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode


def _factor():
    return tf.get_variable("factor", [], initializer=tf.ones_initializer())


@pytest.mark.parametrize("eagerly", [False, True])
def test_calls_share_and_templates_do_not(eagerly):
    if eagerly:
        with eager_mode():
            _check_sharing()
    else:
        _check_sharing()


def _check_sharing():
    one, other = tf.make_template("shared", _factor), tf.make_template("shared", _factor)
    with tf.variable_scope("outside"):
        first = one()
    assert one() is first
    assert other() is not first
    assert first.name == "outside/shared/factor:0"
    assert one.variables == one.trainable_variables == [first]


def test_what_is_trained_is_made_at_the_first_call():
    def careless(trainable):
        tf.Variable(0.0, trainable=trainable)
        return _factor()

    template = tf.make_template("s", careless, trainable=True)
    template()
    with pytest.raises(ValueError, match="Trainable variable created when calling a template"):
        template()
    template = tf.make_template("t", careless, trainable=False)
    assert template() is template()


def test_names():
    with pytest.raises(ValueError, match="name cannot be None"):
        tf.make_template(None, _factor)
    with eager_mode(), pytest.raises(ValueError, match="unique_name_ cannot be used"):
        tf.make_template("a", _factor, unique_name_="b")
