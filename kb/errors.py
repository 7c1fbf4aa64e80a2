"""Errors a user can act on. Each message is one line: what is wrong, where, what to do."""

from __future__ import annotations


class KbError(Exception):
    """Base of all expected errors. The command line prints the message and exits with 2.

    The message is one line, whatever value of a file it quotes.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(" ".join(message.splitlines()))


class InputError(KbError):
    """A source, an argument or a corpus file cannot be used as it is."""


class ProfileError(KbError):
    """The profile is malformed, or one of its patterns fails its own examples."""


class BuildError(KbError):
    """The build folder is absent, half-written or made by another version."""


class MissingExtra(KbError):
    """An optional package is needed; the message names what to install."""


class NotFound(KbError):
    """A well-formed ref that does not exist. The command line exits with 1."""
