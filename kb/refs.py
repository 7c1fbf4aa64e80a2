"""Refs as the data files of a corpus write them: a bare path is of the laws, others say their work."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from kb.errors import InputError
from kb.model import Ref
from kb.profile import Profile


def written(profile: Profile, text: str, where: str) -> Ref:
    """``65.B.1`` or ``commentary/1987/65.3`` -> Ref.

    Raises InputError, opening with ``where``, for what is no ref, names an unknown work or edition, or lies
    below a provision the outline has not. What the sources hold besides, only ``must_be_known`` can tell.
    """
    laws = profile.law_work.name
    try:
        ref = Ref.parse(text if "/" in text else f"{laws}/{profile.edition}/{text}")
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None
    if ref.work not in profile.works or ref.edition != profile.edition or not ref.path:
        works = ", ".join(profile.works)
        raise InputError(
            f"{where}: {text!r} is not in this corpus (works: {works}; edition: {profile.edition})"
        )
    tops = {entry.ref.path[0] for entry in profile.outline if entry.ref.work == ref.work}
    if tops and ref.path[0] not in tops:
        raise InputError(f"{where}: {text!r} is not in the outline")
    return ref


def must_be_known(refs: Iterable[Ref], known: Collection[Ref], where: str) -> None:
    """Raises InputError, opening with ``where``, for the first ref that is not among ``known``."""
    for ref in refs:
        if ref not in known:
            raise InputError(f"{where}: {ref} is neither in the outline nor in a source")


def languages(value: object, profile: Profile, where: str) -> dict[str, str]:
    """A table of a text by language, ``{ru = "…", en = "…"}``, in the order of the corpus's languages.

    Raises InputError, opening with ``where``, when it is none, is empty, or names another language.
    """
    if not isinstance(value, dict) or not value:
        raise InputError(f'{where}: needs a text by language, {{ {profile.lang} = "…" }}')
    for lang, text in value.items():
        if lang not in profile.languages:
            raise InputError(f"{where}: {lang!r} is none of the languages {', '.join(profile.languages)}")
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"{where}: the text in {lang!r} is empty or not a string")
    return {lang: value[lang].strip() for lang in profile.languages if lang in value}


def strings(value: object, where: str) -> tuple[str, ...]:
    """A list of strings, none of them empty. Raises InputError, opening with ``where``."""
    if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
        raise InputError(f"{where}: has to be a list of strings, none of them empty")
    return tuple(item.strip() for item in value)
