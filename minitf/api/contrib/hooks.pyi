"""The names of `tf.contrib.hooks`."""

from minitf.library.sessions.saving_hooks import ProfilerHook as ProfilerHook
