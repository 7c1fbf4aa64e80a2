"""The tables of the store, as SQL."""

from __future__ import annotations

SCHEMA_VERSION = "3"
TABLES = (
    "entries",
    "nodes",
    "readings",
    "links",
    "relations",
    "findings",
    "sources",
    "edits",
    "strips",
    "accounts",
)
"""In the order in which they are written."""

SCHEMA = """
create table meta (key text primary key, value text not null) without rowid;
create table entries (seq integer primary key, ref text not null unique, work text not null,
  kind text not null, parent text, titles text not null, title_basis text not null, support text not null,
  status text not null);
create table nodes (seq integer primary key, ref text not null, lang text not null, work text not null,
  kind text not null, marker text not null, title text not null, text text not null, tail text not null,
  footnotes text not null, complete integer not null, missing text not null, damaged integer not null,
  page integer, page_basis text not null, basis text not null, rendering text not null,
  witnesses text not null, spans text not null);
create table readings (seq integer primary key, source text not null, node integer not null);
create table links (seq integer primary key, at text not null, lang text not null, place text not null,
  start integer not null, end integer not null, surface text not null, form text not null,
  work text not null, edition text not null, path text not null, target text not null,
  status text not null, reason text not null, fallback text, alternatives text not null);
create table relations (seq integer primary key, comment text not null, law text not null,
  evidence text not null, confidence real not null, status text not null, detail text not null);
create table findings (seq integer primary key, kind text not null, message text not null, ref text,
  source text not null, first integer, last integer, text text not null);
create table sources (seq integer primary key, name text not null, work text not null,
  edition text not null, lang text not null, sha256 text not null, encoding text not null,
  chars integer not null, lines integer not null, title text not null, translator text not null,
  origin text not null, rights text not null, text text not null, margin real not null);
create table edits (seq integer primary key, source text not null, rule text not null,
  start integer not null, end integer not null, before text not null, after text not null);
create table strips (seq integer primary key, source text not null, line integer not null,
  page integer not null, box text not null, words text not null, png text not null);
create table accounts (seq integer primary key, source text not null, fate text not null,
  rule text not null, chars integer not null)
""".strip().split(";\n")
# Indexes are made after the rows: each is then written once, in order.
INDEXES = """
create index entries_parent on entries (parent, seq);
create index entries_work on entries (work, seq);
create unique index nodes_key on nodes (ref, lang);
create index nodes_work on nodes (work, seq);
create index readings_source on readings (source, node);
create index links_at on links (at, seq);
create index links_target on links (target, seq);
create index relations_comment on relations (comment, seq);
create index relations_law on relations (law, seq);
create index findings_kind on findings (kind, seq);
create index edits_source on edits (source, seq);
create index strips_source on strips (source, seq)
""".strip().split(";\n")
