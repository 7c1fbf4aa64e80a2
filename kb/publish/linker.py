"""``linker.js``, which links the citations of any page, and ``linker-data.js``, the texts of its cards."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any

from kb import address
from kb.cite.grammar import VERSION as grammar_version
from kb.cite.grammar import Grammar
from kb.cite.resolve import KnownBase
from kb.errors import InputError
from kb.model import Entry, KnowledgeBase, Ref
from kb.profile import Profile
from kb.publish import files, lists, strings
from kb.publish.spools import Spools

SCRIPT = "linker.js"
DATA = "linker-data.js"
ABOUT = "api/v1/linker.json"
"""What a page needs to name one version of the script: its hash and the element that loads it."""
VERSIONS = "api/v1/linker"
"""Where each version stands under a name of its own, which is made of its bytes and so never means others."""
PUBLISHED = Path("published") / "linker.toml"
"""In a corpus: the versions that were published, which each build puts out again."""
HEADERS = "_headers"
"""What static hosts that read such a file (Netlify, Cloudflare Pages) are to send; others leave it alone."""
_STATES = {
    "text": "short_text",
    "partial": "short_partial",
    "not-supplied": "short_not_supplied",
    "repealed": "short_repealed",
}
_PYTHON_ONLY = frozenset({"joints", "adjectives"})
"""What of the grammar only saves Python time."""
_TIGHT = re.compile(
    r"""(/\*.*?\*/ null|"(?:[^"\\]|\\.)*"|/(?![*/ ])(?:[^/\\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+/)"""
    r"""| ?([=?:&|<>,;{}()!*]+|(?<= )[+-](?= [^+-])) ?"""
)
"""A string or a pattern, else signs with the spaces about them."""
_CASE = "`"
"""Before a letter: that letter large or small. Before itself: itself."""
_CASES = re.compile(r"\[(\w)(\w)\]")
_FIGURES = "0123456789abcdefghijklmnopqrstuvwxyz"
_MOST = 600
"""Code points of a text that a card shows."""


def write_linker(
    kb: KnowledgeBase, profile: Profile, grammar: Grammar, site: Path, filled: Spools | None = None
) -> list[Path]:
    """Write the script, its data, what is to be known of both, the versions kept, and a host's headers.

    Gives the paths that changed. Raises InputError when one cannot be written, or a published one is gone.
    ``filled``: spools that have the ``LISTS``.
    """
    with lists.of(kb, profile, LISTS, filled) as rows:
        data = _Put("".join(card_data(kb, profile, rows)).encode())
        code = _Put(_script(kb, grammar, data, rows).encode())
    written: dict[str, str | bytes] = {SCRIPT: code.content, DATA: data.content}
    versions = {f"{VERSIONS}/{name}": content for name, content in published(profile.root).items()}
    versions |= {one.version: one.content for one in (code, data)}
    files.prune(site / VERSIONS, [site / name for name in versions])
    written |= {**versions, ABOUT: _about(kb, code, data, versions), HEADERS: _headers()}
    return [site / name for name, content in written.items() if files.write(site / name, content)]


def own_name(content: str | bytes) -> str:
    """The name under which one very version of the script, or of its data, stays where it is."""
    data = content.encode() if isinstance(content, str) else content
    return f"{hashlib.sha256(data).hexdigest()[:16]}.js"


@dataclass(frozen=True)
class _Put:
    """A file that is put out under its own name, too; its hashes are worked out once."""

    content: bytes

    @cached_property
    def version(self) -> str:
        """Where this very version stays."""
        return f"{VERSIONS}/{own_name(self.content)}"

    @cached_property
    def integrity(self) -> str:
        return integrity(self.content)


def published(corpus: Path) -> dict[str, bytes]:
    """The versions that pages of others were given the address of: name -> bytes, as the corpus keeps them.

    ``published/linker.toml`` has the integrity of each. Raises InputError for one that is gone or changed.
    """
    listed = corpus / PUBLISHED
    try:
        known = tomllib.loads(listed.read_text("utf-8")) if listed.is_file() else {}
    except ValueError as error:
        raise InputError(f"{listed}: no TOML: {error}") from None
    found = {}
    for name, promised in sorted(known.items()):
        path = listed.with_suffix("") / name
        content = path.read_bytes() if path.is_file() else b""
        if integrity(content) != promised:
            state = "is another file than was published" if content else "has been published and is gone"
            raise InputError(f"{path}: {state}; pages of others load it, so restore it from version control")
        found[name] = content
    return found


def keep(site: Path, corpus: Path) -> list[str]:
    """Make the version that stands in a built site one that stays: a release calls it. Gives the new names.

    Raises InputError when the site has none, or the corpus cannot be written.
    """
    about = site / ABOUT
    if not about.is_file():
        raise InputError(f"{about}: no such file; run `kb build` first")
    listed = corpus / PUBLISHED
    known = {name: integrity(content) for name, content in published(corpus).items()}
    new = {}
    for row in json.loads(about.read_text("utf-8"))["files"].values():
        name = row["version"].rpartition("/")[2]
        if name not in known:
            content = (site / row["version"]).read_bytes()
            files.write(listed.with_suffix("") / name, content)
            new[name] = integrity(content)
    lines = [f'"{name}" = "{promised}"\n' for name, promised in sorted({**known, **new}.items())]
    files.write(
        listed,
        "# Versions of linker.js and of its data that were published: kept, never changed.\n"
        + "".join(lines),
    )
    return sorted(new)


def script(
    kb: KnowledgeBase, profile: Profile, grammar: Grammar, data: str = "", filled: Spools | None = None
) -> str:
    """The script with its version, grammar and table of refs, and the name and hash of its data put in."""
    with lists.of(kb, profile, LISTS, filled) as rows:
        return _script(kb, grammar, _Put(data.encode()), rows)


def _script(kb: KnowledgeBase, grammar: Grammar, data: _Put, rows: Spools) -> str:
    values = {
        "version": version(kb),
        "data": [data.version, data.integrity],
        "grammar": packed(grammar.data),
        "refs": refs(rows, grammar),
    }
    source = _lean((package_files("kb.publish") / SCRIPT).read_text("utf-8"))
    for name, value in values.items():
        source = source.replace(f"/* kb:{name} */ null", _compact(value))
    return source


def _lean(source: str) -> str:
    """The script without comments on lines of their own, indents, spaces about signs, needless line breaks.

    Of the comment at its head the first sentence stays.
    """
    head, _, rest = source.partition("*/\n")
    lines = (line.strip() for line in rest.splitlines())
    tight = (_TIGHT.sub(lambda found: found[1] or found[2], line) for line in lines if line[:2] != "//")
    return (
        f"{head.partition('.')[0]}. */\n"
        + re.sub(r"(?<=[;{},(&|?:])\n|;(?=\n*\})", "", "\n".join(filter(None, tight)))
        + "\n"
    )


def packed(data: Mapping[str, Any]) -> dict[str, Any]:
    """The grammar as the script carries it; its ``unpack`` makes it whole again.

    Words of one meaning stand together, of each word or path only what differs from the one before, and of
    a small and a capital letter (``[Аа]``) the small one, behind a sign.
    """
    made = {key: value for key, value in data.items() if key not in _PYTHON_ONLY}
    idle = frozenset(data["scan"]["idle"])
    made["scan"] = {key: value for key, value in data["scan"].items() if key != "idle"}
    lexicon = {word: [*entry, 1] if word in idle else entry for word, entry in data["lexicon"].items()}
    for name, table in (("lexicon", lexicon), ("count", data["count"]), ("letters", data["letters"])):
        rows: dict[str, list[str]] = {}
        for word, value in table.items():
            rows.setdefault(_compact(value), []).append(word)
        made[name] = [[json.loads(value), _steps(sorted(words))] for value, words in rows.items()]
    for name in ("places", "localCues"):
        made[name] = _steps(sorted(data[name]))
    made["outline"] = {work: _steps(paths) for work, paths in data["outline"].items()}
    packed: dict[str, Any] = json.loads(_CASES.sub(_small, _compact(made).replace(_CASE, _CASE * 2)))
    return packed


def _small(found: re.Match[str]) -> str:
    capital, small = found.groups()
    return f"{_CASE}{small}" if small != capital == small.upper() else found.group()


def _steps(words: Iterable[str]) -> str:
    """A line each: how many letters (UTF-16) are those of the one before, as one figure, and the others."""
    rows, before = [], ""
    for word in words:
        most = min(len(before), len(word), len(_FIGURES) // 2 - 1)
        count = 0
        while count < most and before[count] == word[count]:
            count += 1
        same = word[:count]
        rows.append(f"{_FIGURES[len(same.encode('utf-16-le')) // 2]}{word[len(same) :]}")
        before = word
    return "\n".join(rows)


def version(kb: KnowledgeBase) -> str:
    """Of the script: the number of its grammar's format, and the build its grammar and refs are of."""
    return f"{grammar_version}.{kb.meta.get('build_id', '')}".rstrip(".")


def _about(kb: KnowledgeBase, code: _Put, data: _Put, versions: Iterable[str]) -> str:
    tag = f'<script src="{code.version}" integrity="{code.integrity}" crossorigin="anonymous" defer></script>'
    about = {
        "build": kb.meta.get("build_id", ""),
        "version": version(kb),
        "files": {
            name: {"integrity": put.integrity, "bytes": len(put.content), "version": put.version}
            for name, put in ((SCRIPT, code), (DATA, data))
        },
        "html": tag,
        "versions": sorted(versions),
    }
    return json.dumps(about, ensure_ascii=False, sort_keys=True, indent=1) + "\n"


def _headers() -> str:
    """Leave for pages of other hosts to read the data."""
    shared = ("/api/*", f"/{SCRIPT}", f"/{DATA}", "/objects.inv")
    return "".join(f"{path}\n  Access-Control-Allow-Origin: *\n" for path in shared)


def card_data(kb: KnowledgeBase, profile: Profile, filled: Spools | None = None) -> Iterator[str]:
    """The script that hands over the texts, in pieces; a line a ref."""
    with lists.of(kb, profile, LISTS, filled) as rows:
        yield _card_head(profile)
        for number, line in enumerate(rows.lines("cards")):
            yield f"{',' if number else ''}{line}\n"
        yield "}});\n"


def _card_head(profile: Profile) -> str:
    words = {
        state: {lang: strings.table()[key].get(lang, "") for lang in profile.languages}
        for state, key in _STATES.items()
    }
    words["unknown"] = {lang: strings.notes(lang)["unknown"] for lang in profile.languages}
    words["comments"] = {
        lang: profile_work.titles.get(lang, "")
        for profile_work in profile.works.values()
        if profile_work.role == "commentary"
        for lang in profile.languages
    }
    head = {"edition": profile.edition, "languages": list(profile.languages), "words": words}
    return f'kbLinkerData({_compact(head)[:-1]},"refs":{{\n'


def integrity(content: str | bytes) -> str:
    """The hash for a ``<script integrity=…>``."""
    data = content.encode() if isinstance(content, str) else content
    return "sha384-" + base64.b64encode(hashlib.sha384(data).digest()).decode()


def _is_cited(profile: Profile, entry: Entry) -> bool:
    """Whether a citation can lead to an entry: to all but the headings."""
    return not address.is_heading(profile.works[entry.ref.work], entry.ref)


def _cards(kb: KnowledgeBase, profile: Profile, entry: Entry) -> Iterator[str]:
    if _is_cited(profile, entry):
        key = f"{entry.ref.work}/{entry.ref.dotted}"
        yield f"{_compact(key)}:{_compact(_card(kb, profile, entry))}\n"


def _refs(kb: KnowledgeBase, profile: Profile, entry: Entry) -> Iterator[str]:
    if _is_cited(profile, entry):
        url = address.url(profile, entry.ref, kb)
        empty = KnownBase(kb).status(entry.ref) != "text"
        told = ("!" if empty else "") + url if url != _usual(profile, entry.ref) else int(empty)
        yield _compact([entry.ref.work, entry.ref.dotted, told]) + "\n"


LISTS: Mapping[str, lists.Rows] = {"cards": _cards, "refs": _refs}
"""What each entry adds to the cards, and to the table of refs."""


def refs(rows: Spools, grammar: Grammar) -> dict[str, dict[str, Any]]:
    """Work -> dotted path -> what the script knows of it: 0 there is text at or below it, 1 there is none,
    or its address (behind a ``!`` when there is no text) where that does not follow from the path.

    The paths of the outline, which the grammar has already, stand as one string of such figures under the
    empty path, in their order; ``-`` is one that stands apart, or is no entry.
    """
    found: dict[str, dict[str, Any]] = {}
    for work, dotted, told in map(json.loads, rows.lines("refs")):
        found.setdefault(work, {})[dotted] = told
    for work, outline in grammar.data["outline"].items():
        table = found.get(work, {})
        figures = [str(table.pop(dotted)) if table.get(dotted) in (0, 1) else "-" for dotted in outline]
        if table or figures:
            found[work] = {"": "".join(figures), **table}
    return found


def _usual(profile: Profile, ref: Ref) -> str:
    """The address as the script works it out from the path."""
    work = profile.works[ref.work]
    over = "" if work.role == "law" else work.comments_on or profile.law_work.name
    page = f"/{over or ref.work}/{profile.edition}/{ref.path[0].partition('~')[0]}/"
    if over:
        return f"{page}#{work.letter}{ref.dotted}"
    return page + (f"#{ref.dotted}" if len(ref.path) > 1 else "")


def _card(kb: KnowledgeBase, profile: Profile, entry: Entry) -> dict[str, Any]:
    texts = {}
    titles = dict(entry.titles)
    for lang in profile.languages:
        node = kb.node(entry.ref, lang)
        if node is None:
            continue
        if node.title:
            titles[lang] = node.title
        if node.text:
            texts[lang] = node.text if len(node.text) <= _MOST else node.text[:_MOST].rsplit(" ", 1)[0] + " …"
    human = profile.works[entry.ref.work].human.get(profile.lang, "{ref}")
    card = {
        "human": human.replace("{ref}", address.human(profile, entry.ref)),
        "status": entry.status,
        "title": titles,
        "text": texts,
        "comments": sum(relation.status != "refused" for relation in kb.relations_to(entry.ref)),
    }
    return {key: value for key, value in card.items() if value}


def _compact(value: Any) -> str:
    # Inside a script a "</" could close the element it is pasted into.
    made = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return made.replace("</", "<\\/").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
