// The resolver of a static host: /cite/#Law 65 B 1 leads on to the permanent address of what that means.
// linker.js reads the citation, by the grammar that `kb resolve` reads it by. The open data (api/v1/cite.json)
// is asked for only when there is something to choose from: it has the titles.
(function () {
  "use strict";
  var form = document.querySelector("form[data-cite]");
  var box = document.getElementById("cite");
  var list = document.getElementById("cite-hits");
  var said = document.getElementById("cite-said");
  var site = window.kbSite;
  var data = null;

  // From a file nothing can be fetched: there the data is a script.
  function script() {
    return new Promise(function (resolve, reject) {
      var one = document.createElement("script");
      one.src = new URL("cite-data.js", site.home).href;
      one.onload = function () { resolve(index(window.kbCiteData)); };
      one.onerror = function () { data = null; reject(new Error("cite-data.js did not load")); };
      document.head.append(one);
    });
  }

  function load() {
    if (!data && site.home.protocol === "file:") { data = script(); }
    if (!data) {
      data = fetch(new URL("api/v1/cite.json", site.home)).then(function (answer) {
        if (!answer.ok) { throw new Error(answer.status); }
        return answer.json();
      }).then(index);
    }
    return data;
  }

  function index(json) {
    return new Map(json.refs.map(function (row) { return [row.ref, row]; }));
  }

  // What a result may mean: {ref, note}; of a place of another edition the one of its number here.
  function candidates(row, rows) {
    if (row.status === "ambiguous") { return row.alternatives.map(function (ref) { return { ref: ref }; }); }
    if (row.status === "other-edition") {
      var parts = row.target.split("/");
      var same = window.kbLinker.resolve([parts[0], parts[2] || ""].join("/")).results[0];
      return same && same.ref ? [{ ref: same.fallback || same.target, note: row.status }] : [];
    }
    return row.ref ? [{ ref: row.fallback || row.target, note: rows.length > 1 && row.fallback ? row.status : "" }] : [];
  }

  function item(one, known) {
    var row = known.get(one.ref);
    var made = document.createElement("li");
    var link = document.createElement("a");
    var title = row ? row.title || {} : {};
    var lang = document.documentElement.getAttribute("data-lang");
    link.href = row ? site.address(row.url) : window.kbLinker.resolve(one.ref).results[0].url;
    link.textContent = (row ? row.human : one.ref) + " " + (title[lang] || title[Object.keys(title)[0]] || "");
    made.append(link);
    if (one.note) { made.append(" ", words("state-" + one.note)); }
    return made;
  }

  function words(name) { return document.getElementById("cite-" + name).content.cloneNode(true); }

  function show(answer, text, known) {
    var rows = answer.results, refs = new Set(), found = [];
    rows.forEach(function (row) {
      candidates(row, rows).forEach(function (one) {
        if (!refs.has(one.ref)) { refs.add(one.ref); found.push(one); }
      });
    });
    list.replaceChildren.apply(list, found.map(function (one) { return item(one, known); }));
    var only = rows.length === 1 ? rows[0].status : "";
    var kind = !found.length ? (only === "foreign" || only === "other-edition" ? "state-" + only : "none") :
      answer.readAs ? "read" : found.length > 1 ? "many" : only === "other-edition" ? "state-other-edition" : "near";
    said.replaceChildren(kind === "read" ? "«" + answer.readAs + "»?" : words(kind));
    if (!found.length) {
      var search = document.createElement("a");
      search.href = site.address("search/?q=" + encodeURIComponent(text));
      search.textContent = site.word("search");
      said.append(" ", search);
    }
  }

  // From the worker (sw.js), which keeps no permanent addresses: «laws/65B1», the last part as such an address has it.
  var kept = new URLSearchParams(location.search).has("kept");

  function resolved(text) {
    var answer = window.kbLinker.resolve(text);
    return kept && !answer.results[0].ref ? window.kbLinker.resolve(text.split("/").pop()) : answer;
  }

  // On to the permanent address, or to the page itself where none is kept.
  function lead(only) {
    if (!kept) { location.replace(only.url); return; }
    load().then(function (known) {
      var row = known.get(only.fallback || only.target);
      location.replace(row ? site.address(row.url) : site.address("404.html"));
    });
  }

  function go(text) {
    text = text.trim();
    if (!text) { return; }
    box.value = text;
    var answer = resolved(text), only = answer.results[0];
    if (answer.results.length === 1 && !answer.readAs && (only.status === "resolved" || only.status === "not-supplied")) {
      lead(only);
      return;
    }
    load().then(function (known) { show(answer, text, known); })
      .catch(function () { said.textContent = site.word("search-failed"); });
  }

  function asked() {
    var hash = location.hash.slice(1);
    try { hash = decodeURIComponent(hash); } catch (error) { /* a stray % is taken as it is */ }
    return hash && hash !== "main" ? hash : new URLSearchParams(location.search).get("q") || "";
  }

  form.addEventListener("submit", function (event) {
    event.preventDefault();
    go(box.value);
  });
  addEventListener("hashchange", function () { go(asked()); });
  go(asked());
})();
