// MkDocs' own search: node lunr_run.js MKDOCS_SEARCH_FOLDER < {docs, lang, queries}; prints hits, query by query.
"use strict";
const path = require("path");
const folder = process.argv[2];
const lunr = require(path.join(folder, "templates", "search", "lunr"));
const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
require(path.join(folder, "lunr-language", "lunr.stemmer.support"))(lunr);
require(path.join(folder, "lunr-language", "lunr.multi"))(lunr);
given.lang.filter((code) => code !== "en").forEach((code) => require(path.join(folder, "lunr-language", "lunr." + code))(lunr));
const index = lunr(function () {
  this.use(lunr.multiLanguage.apply(null, given.lang));
  this.field("title");
  this.field("text");
  this.ref("location");
  given.docs.forEach((doc) => this.add(doc));
});
process.stdout.write(JSON.stringify(given.queries.map((query) => index.search(query).slice(0, 10).map((hit) => hit.ref))));
