// Runs theme/search.js outside of a browser: node search_run.js SEARCH_JS SEARCH_DATA_JS < queries.json
// With FIRST_ONLY set it asks before search-more.js is read.
// queries.json: [[text, options], …]; prints the answers, and how long each took, as one JSON list.
"use strict";
const fs = require("fs");
const vm = require("vm");
const context = { window: {}, URL, Promise, performance, atob, TextDecoder, setTimeout };
vm.createContext(context);
const later = process.argv[3].replace("-data", "-more");
for (const path of [process.argv[3], later, process.argv[2]]) { vm.runInContext(fs.readFileSync(path, "utf8"), context, { filename: path }); }
context.window.kbSearch.load("file:///").then(() => process.env.FIRST_ONLY || context.window.kbSearch.more()).then(() => {
  const asked = JSON.parse(fs.readFileSync(0, "utf8"));
  const answers = asked.map(([text, options]) => {
    const began = performance.now();
    const answer = context.window.kbSearch.query(text, options || {});
    return Object.assign(answer, { ms: performance.now() - began });
  });
  process.stdout.write(JSON.stringify(answers));
}).catch((error) => { console.error(error); process.exit(1); });
