"""The namespace `tf.strings`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.ops.printing: format=string_format
minitf.ops.string_codes: unicode_decode unicode_decode_with_offsets unicode_encode unicode_split
    unicode_transcode
minitf.ops.string_hashes: to_hash_bucket=string_to_hash_bucket
    to_hash_bucket_fast=string_to_hash_bucket_fast
    to_hash_bucket_strong=string_to_hash_bucket_strong
minitf.ops.string_matching: regex_full_match regex_replace split=string_split_v2
minitf.ops.strings: as_string join=string_join length=string_length lower=string_lower reduce_join
    strip=string_strip substr to_number=string_to_number upper=string_upper
""",
)
