"""HTTP: the static site, search, look-up and the resolver, read only.

A build that is replaced while the server runs is taken up whole: a request sees the old one or the new one.
"""

from kb.errors import MissingExtra

try:
    from kb.serve.app import create_app
    from kb.serve.running import run
except ModuleNotFoundError as error:
    if (error.name or "kb").partition(".")[0] == "kb":
        raise
    raise MissingExtra(f"kb serve: needs {error.name}; install it: pip install 'lawkb[serve]'") from None

__all__ = ["create_app", "run"]
