// For who asks for a place that is not there: the nearest that are. On the page for lost readers the address says
// what was asked for; on the page that reads citations, its box. nearest() does what kb/publish/nearest.py does.
(function () {
  "use strict";
  var MOST = 8, AROUND = 3;
  var site = window.kbSite;
  var list = document.querySelector(".near ul");
  var cite = document.getElementById("cite");

  // From a file nothing can be fetched: there cite.js has loaded the data as a script.
  function rows() {
    if (window.kbCiteData) { return Promise.resolve(window.kbCiteData).then(ours); }
    return fetch(new URL("api/v1/cite.json", site.home)).then(function (answer) {
      if (!answer.ok) { throw new Error(answer.status); }
      return answer.json();
    }).then(ours);
  }

  function ours(data) {
    var law = data.grammar.law + "/";
    return data.refs.filter(function (row) { return row.ref.indexOf(law) === 0; });
  }

  function nearest(text, refs) {
    var number = /[0-9]{1,9}/.exec(text), laws = new Map(), below = new Map();
    refs.forEach(function (row) {
      var path = row.ref.split("/")[2].split(".");
      if (!/^[0-9]+$/.test(path[0])) { return; }
      if (path.length === 1 && !laws.has(path[0])) { laws.set(path[0], row); }
      if (path.length === 2) { below.set(path[0], (below.get(path[0]) || []).concat([row])); }
    });
    if (!number || !laws.size) { return []; }
    var asked = String(Number(number[0]));
    if (laws.has(asked)) { return [laws.get(asked)].concat(below.get(asked) || []).slice(0, MOST); }
    var typed = asked.split("").map(function (digit, n) { return asked.slice(0, n) + asked.slice(n + 1); }).reverse();
    var around = Array.from(laws.keys()).sort(function (a, b) {
      return Math.abs(a - asked) - Math.abs(b - asked) || a - b;
    }).slice(0, AROUND);
    return Array.from(new Set(typed.concat(around))).filter(function (one) { return laws.has(one); })
      .map(function (one) { return laws.get(one); }).slice(0, MOST);
  }

  function show(text) {
    rows().then(function (refs) {
      var ui = document.documentElement.lang;
      list.replaceChildren.apply(list, nearest(text, refs).map(function (row) {
        var item = document.createElement("li"), link = document.createElement("a");
        var title = row.title || {}, lang = title[ui] ? ui : Object.keys(title)[0];
        link.href = site.address(row.url);
        link.textContent = row.human + " ";
        if (lang) {
          var words = document.createElement("span");
          words.lang = lang;
          words.textContent = title[lang];
          link.append(words);
        }
        item.append(link);
        return item;
      }));
    }).catch(function () { list.replaceChildren(); /* the box and the links below it still help */ });
  }

  if (cite) {
    // cite.js says in words that it has found nothing, or lists what it has.
    var hits = document.getElementById("cite-hits"), said = document.getElementById("cite-said");
    return new MutationObserver(function () {
      if (said.childNodes.length && !hits.children.length) { show(cite.value); } else { list.replaceChildren(); }
    }).observe(said, { childList: true });
  }

  var steps = location.pathname.slice(site.home.pathname.length).split("/").filter(Boolean);
  var asked = (steps[steps.length - 1] || "").replace(/\.html?$/, "");
  try { asked = decodeURIComponent(asked); } catch (error) { /* a stray % is taken as it is */ }
  if (steps[0] === "cite" && steps.length > 1 && !list.children.length) {
    // A static host has no resolver of its own: its page reads what follows #.
    return location.replace(site.address("cite/") + "#" + encodeURIComponent(steps.slice(1).map(function (step) {
      try { return decodeURIComponent(step); } catch (error) { return step; }
    }).join("/")));
  }
  var box = document.getElementById("q");
  if (/[0-9]/.test(asked) && asked.length < 40) {
    if (box && !box.value) { box.value = asked; }
    if (!list.children.length) { show(asked); }
  }
})();
