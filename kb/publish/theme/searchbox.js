// The search box: results as one types, arrow keys, Enter; "/" puts the cursor into it.
(function () {
  "use strict";
  var box = document.getElementById("q");
  if (!box) {
    return addEventListener("keydown", function (event) {
      if (slash(event)) {
        event.preventDefault();
        location.href = window.kbSite.address("search/");
      }
    });
  }
  var form = box.form;
  var list = document.getElementById("hits");
  var found = document.getElementById("found");
  var suggestions = document.getElementById("suggest");
  var full = document.querySelector(".search-page") !== null;
  var limit = full ? 50 : 8;
  var plain = document.querySelector(".plain");
  var ready = null;
  var turn = 0;
  var drawn = "";
  var leap = false;
  var cites = false;

  function slash(event) {
    var at = event.target;
    return window.kbSite.keys() && event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey &&
      !/^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) && !at.isContentEditable;
  }

  function load() {
    if (!ready) {
      ready = window.kbSearch ? Promise.resolve(window.kbSearch.load(window.kbSite.home.href)) : Promise.reject(new Error("no search"));
    }
    return ready;
  }

  function lang() { return document.documentElement.getAttribute("data-lang"); }

  function ask() {
    var text = box.value.trim();
    var mine = ++turn;
    if (!text) { return clear(); }
    load().then(function () {
      // All languages are searched, whichever is shown; the last word may be half typed.
      return window.kbSearch.query(text, { limit: limit, prefix: true });
    }).then(function (answer) {
      if (mine === turn) { draw(text, answer || {}); }
    }).catch(function () {
      leap = false;
      if (mine === turn) { clear(); found.textContent = window.kbSite.word("search-failed"); }
    });
  }

  // How the word being typed may go on; a tap writes it out.
  function offer(text) {
    var words = window.kbSearch.suggest ? window.kbSearch.suggest(text, 6) : [];
    var start = text.length - (/[^\s]*$/.exec(text) || [""])[0].length;
    words = words.filter(function (word) { return word !== text.slice(start).toLowerCase(); }).slice(0, 4);
    suggestions.replaceChildren.apply(suggestions, words.map(function (word) {
      var button = document.createElement("button");
      button.type = "button";
      button.textContent = word;
      button.addEventListener("click", function () { box.value = text.slice(0, start) + word + " "; box.focus(); ask(); });
      return button;
    }));
  }

  function clear() {
    list.replaceChildren();
    suggestions.replaceChildren();
    found.replaceChildren();
    if (plain) { plain.hidden = false; }
  }

  function draw(text, answer) {
    var hits = Array.isArray(answer) ? answer : answer.hits || [];
    list.replaceChildren.apply(list, hits.slice(0, limit).map(row));
    drawn = text;
    cites = answer.kind === "citation" && hits.length > 0;
    if (leap) {
      leap = false;
      go();
    }
    found.replaceChildren();
    offer(text);
    if (plain) { plain.hidden = hits.length > 0; }
    var better = answer.did_you_mean;
    if (!hits.length) { found.append(window.kbSite.word("search-none") + (better ? ". " : "")); }
    if (better) {
      var again = document.createElement("button");
      again.type = "button";
      again.className = "again";
      again.textContent = better + "?";
      again.addEventListener("click", function () { box.value = better; ask(); box.focus(); });
      found.append(again);
    }
    if (!full && (answer.total || 0) > limit) {
      var more = document.createElement("a");
      more.href = window.kbSite.address("search/?q=" + encodeURIComponent(text));
      more.textContent = window.kbSite.word("see-all") + " (" + answer.total + ")";
      found.append(more);
    }
  }

  // A citation leads to its place; words lead to the list, since the first hit need not be the one that is meant.
  function go() {
    location.href = cites ? links()[0].href : window.kbSite.address("search/?q=" + encodeURIComponent(box.value.trim()));
  }

  function row(hit) {
    var item = document.createElement("li");
    var link = document.createElement("a");
    var name = document.createElement("b");
    var title = document.createElement("span");
    link.href = window.kbSite.address(hit.url);
    name.textContent = hit.human || hit.ref;
    title.className = "title";
    // The title in the language the reader has chosen, else in that of the hit.
    var shown = hit.titles && hit.titles[lang()] ? lang() : hit.lang;
    title.textContent = (hit.titles && hit.titles[shown]) || hit.title || "";
    if (shown) { title.lang = shown; }
    link.append(name, " ", title);
    if (hit.status && hit.status !== "text") { link.append(" ", tag(hit.status)); }
    var now = hit.in_force;
    if (now && (!now.path || hit.ref.split("/").pop() !== now.path)) {
      link.append(" ", badge("edition-tag", now.edition + ": " + (now.path || "—")));
    }
    item.append(link);
    var snippet = marked(hit.snippet || "");
    if (snippet) {
      if (hit.lang) { snippet.lang = hit.lang; }
      item.append(snippet);
    }
    return item;
  }

  function tag(status) { return badge(status, window.kbSite.word("short-" + status)); }

  function badge(kind, text) {
    var mark = document.createElement("span");
    mark.className = "tag " + kind;
    mark.textContent = text;
    return mark;
  }

  // A snippet is escaped HTML with <mark> only. It is read as text all the same, mark by mark.
  function marked(html) {
    if (!html) { return null; }
    var line = document.createElement("p");
    line.className = "snippet";
    html.split(/(<mark>[\s\S]*?<\/mark>)/).forEach(function (part) {
      var hit = /^<mark>([\s\S]*)<\/mark>$/.exec(part);
      var text = plainText(hit ? hit[1] : part);
      if (!text) { return; }
      if (hit) {
        var mark = document.createElement("mark");
        mark.textContent = text;
        line.append(mark);
      } else {
        line.append(text);
      }
    });
    return line;
  }

  function plainText(html) {
    return html.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, "\"")
      .replace(/&#(?:39|x27);/g, "'").replace(/&amp;/g, "&");
  }

  function links() { return Array.from(list.querySelectorAll("li > a")); }

  var waiting = 0;
  box.addEventListener("input", function () { clearTimeout(waiting); waiting = setTimeout(ask, 60); });
  box.addEventListener("focus", function () { load().catch(function () { /* told when asked */ }); }, { once: true });
  form.addEventListener("submit", function (event) {
    var first = links()[0];
    if (!full && box.value.trim() && drawn !== box.value.trim()) {
      // typed faster than found: what was typed counts, not what is shown
      event.preventDefault();
      clearTimeout(waiting);
      leap = true;
      ask();
    } else if (first && !full) {
      event.preventDefault();
      go();
    } else if (full) {
      event.preventDefault();
      if (first) { first.focus(); } else { ask(); }
      history.replaceState(null, "", "?q=" + encodeURIComponent(box.value));
    }
  });
  form.addEventListener("keydown", function (event) {
    var all = links();
    var at = all.indexOf(document.activeElement);
    if (event.key === "ArrowDown" && all.length) {
      event.preventDefault();
      all[Math.min(at + 1, all.length - 1)].focus();
    } else if (event.key === "ArrowUp" && at >= 0) {
      event.preventDefault();
      if (at === 0) { box.focus(); } else { all[at - 1].focus(); }
    } else if (event.key === "Escape" && at >= 0) {
      box.focus();
    }
  });
  addEventListener("keydown", function (event) {
    if (slash(event)) { event.preventDefault(); box.focus(); box.select(); }
  });
  document.addEventListener("click", function (event) {
    if (event.target.closest("button[data-lang]") && box.value) { ask(); }
  });
  var given = new URLSearchParams(location.search).get("q");
  if (given) { box.value = given; ask(); }
})();
