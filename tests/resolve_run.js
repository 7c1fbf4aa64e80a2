// Reads [{text, edition, context}] from stdin, prints what the published linker.js resolves each to.
"use strict";
const api = require(process.argv[2]);
const asked = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(asked.map(({ text, edition, context }) => api.resolve(text, { edition, context }))));
