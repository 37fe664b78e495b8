"""Databases as LMDB 0.9 writes them, packed; nothing is needed to read them but `write`.

small: a, b and c, of which c has an empty value. deep: k000 to k119, and `large`, a value of 9,000
bytes that has pages of its own. none: nothing.
"""

import base64
import zlib
from pathlib import Path

DATABASES: dict[str, str] = {}
DATABASES["small"] = (
    "eNrt2TEKAjEQBdDJ2mwXK8/jVVRs3WbB24knSW1nY6+gWVlE0MIthPeK+VMEBtJNEjFo77Ucz4cUY/NntMv46FrFl4"
    "bzKQAAAICppEn3//RmzsOsZvOS3gEAAADg95pRt4iST/mSS3YvAAAA8G9SbOp/e4pVt9sO/brfdzeuJicm"
)
DATABASES["deep"] = (
    "eNrtnM1q1FAYhs/MZH47nbh05caNy/NlTk4SESlehrhxIYoWkSJib6AXISIiIl6FeAUiMohIES9AcOtOscyEoIgGm6"
    "eC77NoSmnn7eYhfOd7Oc5tmBx9/fDy84uea3Kqfkx23G/5usb9IZvf7zkhhBBCCCGEEEJ0Ra/T+b9ff36yfg7Wz/0f"
    "fj796f8RQgghhBBCCCHEcdFvfHfFHboHaUhfLW4s+ouH23H79fzmPJk/2iq33sx2Z6PZ4+n56WpyezKZPBlfGL8d3R"
    "nNRk+HF4fvkr1knjwb7Aze9+/2F/3nvUu9Q3fvl6mX17P/Lb8s73dGI6VAUiKSkiMpAUlZIikZkmJIiidSsgpJQdzP"
    "EPczxP0McT9D3M8Q9zPE/QxxP0PcN8R9Q9w3xH1D3DfEfUPcN8R9Q9w3xH1D3PeI+x5x3yPue8R9j7jvEfc94r5H3P"
    "eI+75D9wcnPP8XiD8F4k+B+FMg/hSIPwXiT4G8OyPy7ozIuzMi786IuB8R9yPifkTcj4j7EXE/Iu7niPs54n6OuJ8j"
    "7ueI+znifo64nyPu54j7OeJ+QNwPiPsBcT8g7gfE/YC4HxD3A+J+QNwPiPtLxP0ud+RJPZP33Gm3Sr+kn9KP6SpVM0"
    "IIIYQQQgghhPi3GW1ODszCsD5FKOKgcaKw6f0P6786kf2/IX0zQ/pmhvTNDOmbGdI3M6RvZkjfzJC+mSF9M0P6Zob0"
    "zQzpmxnSNzOkb2YeOTuvkLPzCtmbVcjerEL2ZhWyN6uQvVmF7M0qZG9WIXuzCnG/RNwvEfdLxP0Scb9E3C8R90vE/R"
    "Jxv0TcLxH3C8T9AnG/QNzvsiM/asz/Z9zBdnP+P+hs/mdQ//8vUtT/b5mi/n/rFPX/26ao/982Rf3/tinq/7dNUf+/"
    "bYr6/21TEPfV/2+dcizunzv7vX89dLtX965fG6/Hl+Y2DtmTIXeyGHIniyF3shhyJ0unO/JxPS0nR3fz7wshhBBCCC"
    "GEEEIIIYQQQgghhBBCCPEf8A2ir3CH"
)
DATABASES["none"] = (
    "eNrt17ENABAUhOF7ndJIJheTWMEIJILoaCSK/yvumlvgpMn1zKlE086vckFHddCluTcBAAAAAIBX7Jf/3wAJAidc"
)


def write(name: str, path: str | Path) -> str:
    """Writes a database into a file, and returns the path of that."""
    data = zlib.decompress(base64.b64decode(DATABASES[name]))
    Path(path).write_bytes(data + b"\0" * (-len(data) % 4096))
    return str(path)
