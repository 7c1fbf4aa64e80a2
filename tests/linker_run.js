// Reads {grammar, cases: [{text, context}]} from stdin, prints what linker.js finds in each.
"use strict";
const api = require(process.argv[2]);
const { grammar, cases } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const find = api.finder(grammar);
process.stdout.write(JSON.stringify(cases.map(({ text, context, strict }) => find(text, context, strict))));
