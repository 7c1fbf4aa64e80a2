"""The theme's templates, compiled and kept beside the compiled modules: that costs as much as ten pages."""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

from kb.errors import InputError
from kb.publish import files


class Compiled(BytecodeCache):
    """Kept as Python keeps modules: not when it is told to write none; where none can be written, in vain.

    Jinja sees by a hash of the template, and by the number of its own format and of Python's, whether one
    still holds.
    """

    def load_bytecode(self, bucket: Bucket) -> None:
        """Read a template, if it is kept."""
        with suppress(OSError), _place(bucket).open("rb") as stream:
            bucket.load_bytecode(stream)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template."""
        if not sys.dont_write_bytecode:
            with suppress(InputError):
                files.write(_place(bucket), bucket.bytecode_to_string())


def _place(bucket: Bucket) -> Path:
    return Path(cache_from_source(__file__)).with_name(f"theme-{bucket.key}.jinja")
