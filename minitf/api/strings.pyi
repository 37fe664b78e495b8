"""The names of `tf.strings`."""

from minitf.library.text.encodings import unicode_decode as unicode_decode
from minitf.library.text.encodings import unicode_decode_with_offsets as unicode_decode_with_offsets
from minitf.library.text.encodings import unicode_encode as unicode_encode
from minitf.library.text.encodings import unicode_script as unicode_script
from minitf.library.text.encodings import unicode_split as unicode_split
from minitf.library.text.encodings import unicode_transcode as unicode_transcode
from minitf.library.text.hashes import string_to_hash_bucket_fast as to_hash_bucket_fast
from minitf.library.text.printing import string_format as format
from minitf.library.text.strings import as_string as as_string
from minitf.library.text.strings import string_join as join
from minitf.library.text.strings import string_length as length
from minitf.library.text.strings import string_lower as lower
from minitf.library.text.strings import reduce_join as reduce_join
from minitf.library.text.strings import string_strip as strip
from minitf.library.text.strings import substr as substr
from minitf.library.text.strings import string_to_number as to_number

__all__ = [
    "as_string", "format", "join", "length", "lower", "reduce_join", "strip", "substr",
    "to_hash_bucket_fast", "to_number", "unicode_decode", "unicode_decode_with_offsets",
    "unicode_encode", "unicode_script", "unicode_split", "unicode_transcode"
]
