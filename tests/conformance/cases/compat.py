"""Templates, conversions, text, errors, versions and what else programs ask the library itself."""

from tests.conformance.case import programs

CASES = [
    *programs(
        "names",
        {
            "text": """
                show(tf.compat.as_bytes("a"), tf.compat.as_text(b"a"), tf.compat.as_str("b"))
                show(tf.compat.as_str_any(3), tf.compat.as_str_any(b"c"))
                fails(tf.compat.as_bytes, 3)
                fails(tf.compat.as_text, 3)
            """,
        },
    ),
]
