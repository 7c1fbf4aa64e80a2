"""Full-text search: ``build_index`` makes an index of a knowledge base, ``open_index`` asks it.

One analyser (analysis.py) and one ranking (ranking.py) serve every backend and, exported (export.py), the
browser.
"""

from kb.search.building import build_index
from kb.search.export import export_index
from kb.search.index import SearchIndex, open_index
from kb.search.result import Hit, SearchResult

__all__ = ["Hit", "SearchIndex", "SearchResult", "build_index", "export_index", "open_index"]
