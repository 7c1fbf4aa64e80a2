"""HTTP: the static site, search, look-up and the resolver, read only.

A build that is replaced while the server runs is taken up whole: a request sees the old one or the new one.
"""

from kb.serve.app import create_app, run

__all__ = ["create_app", "run"]
