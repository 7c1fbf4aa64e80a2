// The resolver of a static host: /cite/#Law 65 B 1 leads on to the permanent address of what that means.
// Reads the open data (api/v1/cite.json): the letters and nouns of the grammar, and every ref with its address.
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

  function key(work, path) { return work + ":" + path.replace(/[^0-9a-z]+/gi, work === law ? "" : ".").toLowerCase(); }

  var law = "";
  function index(json) {
    var grammar = json.grammar;
    var refs = new Map();
    law = grammar.law;
    json.refs.forEach(function (row) {
      var parts = row.ref.split("/");
      if (parts.length === 3) { refs.set(key(parts[0], parts[2]), row); }
    });
    return { refs: refs, letters: grammar.letters, lexicon: grammar.lexicon, nouns: grammar.nouns, works: Object.keys(grammar.works) };
  }

  // One citation without its noun: "65 б 1" -> "65B1"; letters by look-alike or sound, as the grammar has them.
  function latin(text, known) {
    return text.replace(/\p{L}/gu, function (one) { return known.letters[one] || known.letters[one.toLowerCase()] || one; });
  }

  function work(text, known) {
    var found = "";
    (text.toLowerCase().match(/\p{L}{2,}\.?|\p{L}\./gu) || []).forEach(function (word) {
      var entry = known.lexicon[word] || known.lexicon[word.replace(/\.$/, "")];
      if (entry && entry[0] === "noun" && !found) { found = known.nouns[entry[1][0]].work; }
    });
    return found;
  }

  function resolve(text, known) {
    var given = work(text, known);
    var hits = [];
    text.split(/[,;&]|(?:^|\s)(?:и|или|and|or)(?=\s)/iu).forEach(function (part) {
      var own = work(part, known) || given;
      var at = part.search(/[0-9]/);
      if (at < 0) { return; }
      var first = /^\s*([a-z]+)[./]/i.exec(part);
      var rest = latin(part.slice(at).trim(), known);
      if (first && known.works.indexOf(first[1]) >= 0) {
        own = first[1];
        rest = part.trim().split("/").pop().replace(/^.*#/, "");
      }
      var works = own ? [own].concat(known.works) : known.works;
      for (var n = 0; n < works.length; n++) {
        var row = known.refs.get(key(works[n], rest.replace(/[)\].\s]+$/, "")));
        if (row) { hits.push({ row: row, exact: true }); return; }
      }
      var head = /^[0-9]+/.exec(rest);
      var above = head && known.refs.get(key(law, head[0]));
      if (above) { hits.push({ row: above, exact: false }); }
    });
    return hits;
  }

  function show(hits, text) {
    list.replaceChildren.apply(list, hits.map(function (hit) {
      var item = document.createElement("li");
      var link = document.createElement("a");
      link.href = site.address(hit.row.url);
      var title = hit.row.title || {};
      var lang = document.documentElement.getAttribute("data-lang");
      link.textContent = hit.row.human + " " + (title[lang] || title[Object.keys(title)[0]] || "");
      item.append(link);
      return item;
    }));
    var kind = !hits.length ? "none" : hits.length === 1 ? "near" : "many";
    said.replaceChildren(document.getElementById("cite-" + kind).content.cloneNode(true));
    if (!hits.length) {
      var search = document.createElement("a");
      search.href = site.address("search/?q=" + encodeURIComponent(text));
      search.textContent = site.word("search");
      said.append(" ", search);
    }
  }

  function go(text) {
    text = text.trim();
    if (!text) { return; }
    box.value = text;
    load().then(function (known) {
      var hits = resolve(text, known);
      if (hits.length === 1 && hits[0].exact) {
        location.replace(site.address(hits[0].row.url));
      } else {
        show(hits, text);
      }
    }).catch(function () { said.textContent = site.word("search-failed"); });
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
