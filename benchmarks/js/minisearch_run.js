// MiniSearch: node minisearch_run.js FOLDER_OF_node_modules < {docs, queries}; prints hits by query, and bytes of the index.
"use strict";
const path = require("path");
const MiniSearch = require(path.join(process.argv[2], "node_modules", "minisearch", "dist", "cjs", "index.cjs"));
const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
const index = new MiniSearch({
  idField: "ref",
  fields: ["title", "text", "commentary"],
  tokenize: (text) => text.split(" ").filter(Boolean),
  processTerm: (term) => term,
});
index.addAll(given.docs);
const options = { boost: { title: 3, commentary: 0.6 }, prefix: (term) => term.length > 3, fuzzy: (term) => (term.length > 4 ? 0.2 : false) };
const hits = given.queries.map((query) => index.search(query, options).slice(0, 10).map((hit) => hit.id));
process.stdout.write(JSON.stringify({ hits, index: JSON.stringify(index) }));
