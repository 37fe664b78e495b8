"""The namespace `tf.strings`: names only."""

from minitf.ops.printing import string_format as format  # noqa: A004
from minitf.ops.string_codes import (
    unicode_decode,
    unicode_decode_with_offsets,
    unicode_encode,
    unicode_split,
    unicode_transcode,
)
from minitf.ops.string_hashes import string_to_hash_bucket as to_hash_bucket
from minitf.ops.string_hashes import string_to_hash_bucket_fast as to_hash_bucket_fast
from minitf.ops.string_hashes import string_to_hash_bucket_strong as to_hash_bucket_strong
from minitf.ops.string_matching import regex_full_match, regex_replace
from minitf.ops.string_matching import string_split_v2 as split
from minitf.ops.strings import (
    as_string,
    reduce_join,
    substr,
)
from minitf.ops.strings import string_join as join
from minitf.ops.strings import string_length as length
from minitf.ops.strings import string_lower as lower
from minitf.ops.strings import string_strip as strip
from minitf.ops.strings import string_to_number as to_number
from minitf.ops.strings import string_upper as upper

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
