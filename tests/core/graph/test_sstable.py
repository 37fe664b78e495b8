"""Sorted tables and the wire format: what was written comes back, and broken files are told."""

import struct

import numpy as np
import pytest

from minitf.library.formats.records import masked_crc32c
from minitf.library.formats.sstable import Table, parse_table
from minitf.library.formats.wire import field, fields, fixed32, read_varint, signed, varint

ITEMS = {
    b"": b"header",
    **{f"layer_{i // 10}/kernel_{i:05d}".encode(): b"v" * (i % 40) for i in range(20_000)},
    b"\xff\xff": b"the last",
}


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 1 << 31, (1 << 63) - 1, -1, -(1 << 63)])
def test_numbers_come_back(number: int) -> None:
    value, end = read_varint(b"x" + varint(number), 1)
    assert signed(value) == number and end == 1 + len(varint(number))


def test_fields_come_back() -> None:
    message = field(1, 300) + field(2, b"abc") + fixed32(6, 7) + field(20, 1) + field(4, 0)
    assert fields(message) == [(1, 300), (2, b"abc"), (6, 7), (20, 1)]
    for size in (1, 2, 4, 6, 9, 11, 14):
        with pytest.raises(ValueError, match="end within"):
            fields(message[:size])
    with pytest.raises(ValueError, match="more than 64 bits"):
        fields(b"\x08" + b"\xff" * 11)
    with pytest.raises(ValueError, match="kind 6"):
        fields(b"\x0e")


@pytest.mark.parametrize("count", [0, 1, 2, 16, 17, 33, len(ITEMS)])
def test_tables_come_back(count: int) -> None:
    items = dict(list(ITEMS.items())[:count])
    assert parse_table(Table(items).data) == items


def test_values_get_other_ends() -> None:
    items = {key: value + b"1234" for key, value in ITEMS.items()}
    keys = [*items][::7]
    numbers = np.random.default_rng(0).integers(0, 1 << 32, len(keys), np.uint32)
    wanted = items | {
        key: items[key][:-4] + int(number).to_bytes(4, "little")
        for key, number in zip(keys, numbers, strict=True)
    }
    table = Table(items)
    assert table.ending_in(keys, numbers) == Table(wanted).data
    assert parse_table(table.data) == items  # as it was


def test_shortened_files_are_told() -> None:
    data = Table(dict(list(ITEMS.items())[:40])).data
    for size in range(len(data)):
        with pytest.raises(ValueError, match="too short|bad magic"):
            parse_table(data[:size])


def test_changed_bytes_are_told() -> None:
    items = dict(list(ITEMS.items())[:40])
    data = Table(items).data
    told = 0
    for at in range(len(data)):
        changed = data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1 :]
        try:
            assert parse_table(changed) == items  # a byte that nobody reads
        except ValueError:
            told += 1
    assert told > len(data) - 60  # the footer's padding and the empty metaindex are not read


def test_random_bytes_never_do_more_than_raise() -> None:
    random = np.random.default_rng(0)
    data = Table(dict(list(ITEMS.items())[:200])).data
    for _ in range(300):
        junk = bytearray(data)
        for at in random.integers(0, len(data), 5):
            junk[at] = random.integers(256)
        for broken in (bytes(junk), random.bytes(500) + data[-48:]):
            try:
                parse_table(broken)
            except ValueError:
                pass


def table_of(blocks: list[bytes], handles: list[tuple[int, int]]) -> bytes:
    """A file whose checksums are right, whatever else is wrong with it."""

    def block(entries: bytes) -> bytes:
        content = entries + struct.pack("<II", 0, 1) + b"\0"
        return content + struct.pack("<I", masked_crc32c(content))

    file = b"".join(map(block, blocks))
    begin = len(file)
    index = b""
    for number, handle in enumerate(handles):
        value = varint(handle[0]) + varint(handle[1])
        key = number.to_bytes(4, "big")
        index += b"\0" + varint(len(key)) + varint(len(value)) + key + value
    footer = varint(0) + varint(0) + varint(begin) + varint(len(index) + 8)
    magic = struct.pack("<Q", 0xDB4775248B80FB57)
    return file + block(index) + footer.ljust(40, b"\0") + magic


def test_small_files_that_claim_to_be_large_are_told() -> None:
    entry = b"\0\1\1ab"
    assert parse_table(table_of([entry], [(0, len(entry) + 8)])) == {b"a": b"b"}
    with pytest.raises(ValueError, match="out of order"):
        parse_table(table_of([entry], [(0, len(entry) + 8)] * 1000))
    long = b"\0" + varint(50_000) + b"\0" + b"k" * 50_000
    bomb = long + (varint(50_000) + b"\1\0" + b"x") * 50_000
    with pytest.raises(ValueError, match="too long"):
        parse_table(table_of([bomb], [(0, len(bomb) + 8)]))
    for handle in [(1 << 62, 20), (0, 1 << 62), (0, 3), (5, 1 << 20)]:
        with pytest.raises(ValueError, match="truncated"):
            parse_table(table_of([entry], [handle]))
    for wrong in (b"\5\1\1ab", b"\0\1\x7fab", b"\0\xff\xff\xff\xff\xff\xff\xff\x7f\1"):
        with pytest.raises(ValueError, match="bad entry"):
            parse_table(table_of([wrong], [(0, len(wrong) + 8)]))
