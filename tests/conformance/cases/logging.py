"""`tf.logging` and the logger of Python's own that stands behind it."""

from ..case import programs

_START = """
import logging, sys
class Kept(logging.Handler):
    def __init__(self): super().__init__(); self.records = []
    def emit(self, r): self.records.append((r.name, r.levelname, r.getMessage(), r.exc_info is not None))
logger = logging.getLogger("tensorflow"); root = logging.getLogger()
before = logger.level, logger.propagate, logger.disabled; kept, at_root = Kept(), Kept()
logger.addHandler(kept); logger.setLevel(0)
def said(): found, kept.records = kept.records, []; return found
"""
_END = """
logger.removeHandler(kept); root.removeHandler(at_root)
logger.setLevel(before[0]); logger.propagate, logger.disabled = before[1:]
"""

CASES = [
    *programs(
        "logging",
        {
            name: _START + text + _END
            for name, text in {
                "logger": """
show(tf.get_logger() is logger, logger.name, logger.propagate, logger.disabled, logger.level, tf.logging.get_verbosity())
tf.logging.warning("%d %s", 1, "a"); tf.logging.warn("w"); tf.logging.info("i"); tf.logging.error("e"); tf.logging.fatal("f"); tf.logging.debug("d")
tf.logging.log(tf.logging.ERROR, "x %s", 3); tf.logging.log_if(tf.logging.ERROR, "if", 1); tf.logging.log_if(tf.logging.ERROR, "not", 0); tf.logging.log_first_n(tf.logging.ERROR, "n %d", 1, 5)
show(said()); tf.logging.error("with", exc_info=True); show(said())
""",
                "level": """
logger.setLevel(logging.INFO); show(tf.logging.get_verbosity()); tf.logging.info("i"); tf.logging.debug("d"); show(said())
tf.logging.set_verbosity(tf.logging.DEBUG); show(logger.level); tf.logging.debug("d"); show(said())
tf.logging.set_verbosity("ERROR"); show(logger.level, tf.logging.get_verbosity()); tf.logging.warning("w"); show(said())
tf.logging.set_verbosity(0); show(logger.level, tf.logging.get_verbosity() == root.getEffectiveLevel()); fails(tf.logging.set_verbosity, "LOUD")
logger.setLevel(logging.CRITICAL); tf.cast(tf.constant(1j), tf.float32); show(said()); logger.setLevel(0); tf.cast(tf.constant(1j), tf.float32); show([each[:2] for each in said()])
""",
                "disabled": """
logger.disabled = True; tf.logging.fatal("f"); tf.cast(tf.constant(1j), tf.float32); show(said()); logger.disabled = False; tf.logging.fatal("f"); show(said())
""",
                "filtered": """
no = lambda record: "secret" not in record.getMessage()
logger.addFilter(no); tf.logging.error("secret"); tf.logging.error("open"); logger.removeFilter(no); show(said())
""",
                "propagated": """
root.addHandler(at_root); tf.logging.error("e"); logger.propagate = False; tf.logging.error("alone"); show(at_root.records, said())
""",
            }.items()
        },
    ),
]
