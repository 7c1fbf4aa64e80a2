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
  var guides = Array.from(form.querySelectorAll(".quick a"));
  var full = document.querySelector(".search-page") !== null;
  var limit = full ? 50 : 8;
  var plain = document.querySelector(".plain");
  var ready = null;
  var answered = false;
  var ALL = "kb-search-all", SLOW = 150, PHONE = "(max-width: 40em)";
  var turn = 0;
  var drawn = "";
  var GUIDES = 3, LEADING = 6;
  var followed = (history.state || {}).hit;
  var leap = false;
  var cites = false;

  function slash(event) {
    var at = event.target;
    return window.kbSite.keys() && event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey &&
      !/^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) && !at.isContentEditable;
  }

  function load() {
    if (!ready) {
      ready = window.kbSearch ? Promise.resolve(window.kbSearch.load(window.kbSite.home.href)).then(function () {
        return all() === "first" ? more() : null;
      }) : Promise.reject(new Error("no search"));
    }
    return ready;
  }

  function lang() { return document.documentElement.getAttribute("data-lang"); }

  function ask() {
    var text = box.value.trim();
    var mine = ++turn;
    if (!text) {
      keep("");
      return clear();
    }
    load().then(function () {
      // All languages are searched, whichever is shown; the last word may be half typed.
      return window.kbSearch.query(text, { limit: limit, prefix: true });
    }).then(function (answer) {
      if (mine === turn) { draw(text, answer || {}); }
      if (!answered && all() === "later") { (window.requestIdleCallback || setTimeout)(more); }
      answered = true;
    }).catch(function () {
      leap = false;
      if (mine === turn) { clear(); found.textContent = window.kbSite.word("search-failed"); }
    });
  }

  // When all of the index is loaded: before the first answer; after it on a telephone, so that the answer comes
  // sooner, unless it was loaded in this visit; not at all where the network is slow or costs its reader, unless
  // the site is kept on the device.
  function all() {
    var net = navigator.connection || {};
    var kept = navigator.serviceWorker && navigator.serviceWorker.controller;
    var slow = net.saveData || /[23]g/.test(net.effectiveType) || net.rtt >= SLOW;
    if (kept || hadAll()) { return "first"; }
    return slow ? "never" : matchMedia(PHONE).matches ? "later" : "first";
  }

  function hadAll() {
    try {
      return sessionStorage.getItem(ALL) !== null;
    } catch (error) {
      return false; // no storage: this visit is as any
    }
  }

  function more() {
    return window.kbSearch.more ? window.kbSearch.more().then(function () {
      try { sessionStorage.setItem(ALL, ""); } catch (error) { /* the next page loads it as this one did */ }
    }, function () { /* what is there answers, too */ }) : null;
  }

  // How the word being typed may go on; a tap writes it out.
  function offer(text) {
    var words = window.kbSearch.suggest ? window.kbSearch.suggest(text, 4) : [];
    var start = text.length - (/[^\s]*$/.exec(text) || [""])[0].length;
    suggestions.replaceChildren.apply(suggestions, words.map(function (word) {
      var button = document.createElement("button");
      button.type = "button";
      button.textContent = word;
      button.addEventListener("click", function () { box.value = text.slice(0, start) + word + " "; box.focus(); ask(); });
      return button;
    }));
  }

  // Which guides are offered: those about the first hits, their main law before the others they are about; or,
  // when nothing is asked, those needed most.
  function guide(hits) {
    var refs = hits.slice(0, LEADING).map(function (hit) { return hit.ref + "."; });
    var near = guides.map(function (link) {
      return Math.min.apply(null, link.getAttribute("data-about").split(" ").map(function (law, n) {
        var at = refs.findIndex(function (ref) { return ref.startsWith(law + "."); });
        return at < 0 ? Infinity : at + n * 1.5;
      }));
    });
    var last = near.slice().sort(function (a, b) { return a - b; })[GUIDES - 1];
    guides.forEach(function (link, n) {
      link.hidden = drawn ? !(near[n] < LEADING && !(near[n] > last)) : !link.hasAttribute("data-often");
    });
  }

  function clear() {
    drawn = "";
    list.replaceChildren();
    suggestions.replaceChildren();
    found.replaceChildren();
    guide([]);
    if (plain) { plain.hidden = false; }
  }

  // The address holds what is asked, so that who comes back finds it, with its list.
  function keep(text) {
    var url = new URL(location.href);
    if ((url.searchParams.get("q") || "") === text) { return; }
    if (text) { url.searchParams.set("q", text); } else { url.searchParams.delete("q"); }
    history.replaceState(null, "", url);
  }

  // Who comes back stands at the hit that was followed.
  function stand() {
    var hit = links().find(function (link) { return link.href === followed; });
    followed = "";
    if (hit && document.activeElement !== box) { hit.focus(); }
  }

  function draw(text, answer) {
    var hits = Array.isArray(answer) ? answer : answer.hits || [];
    list.replaceChildren.apply(list, hits.slice(0, limit).map(row));
    drawn = text;
    keep(text);
    guide(hits);
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
    stand();
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
    name.textContent = called(hit);
    title.className = "title";
    // The title in the language the reader has chosen, else in that of the hit.
    var shown = hit.titles && hit.titles[lang()] ? lang() : hit.lang;
    title.textContent = (hit.titles && hit.titles[shown]) || hit.title || "";
    if (shown) { title.lang = shown; }
    link.append(name, " ", title);
    if (hit.status && hit.status !== "text") { link.append(" ", tag(hit.status)); }
    var now = hit.in_force;
    if (now && (!now.path || hit.ref.split("/").pop() !== now.path)) {
      link.append(" ", badge("edition-tag", now.edition + ": " + (short(now.path) || "—")));
    }
    item.append(link);
    // That there is no text, which a snippet says too, stands beside the title.
    var snippet = marked(hit.found === undefined ? hit.snippet || "" : hit.found);
    if (snippet) {
      if (hit.lang) { snippet.lang = hit.lang; }
      item.append(snippet);
    }
    return item;
  }

  // A comment's number says what it is. A heading's is of no use to people: its title is its name.
  function called(hit) {
    var kind = window.kbSite.word("work-" + hit.work) || "{ref}";
    if (kind === "{ref}" && hit.url === "/" + hit.ref + "/" && hit.ref.indexOf(".") > 0 && hit.title) { return ""; }
    return kind.replace("{ref}", hit.human || hit.ref);
  }

  // A path as people write it, 43B2a (kb/address.py, short): a dot stays between two figures, two letters.
  function short(path) {
    return path.split(".").reduce(function (name, step) {
      return name + (name && /\d$/.test(name) === /^\d/.test(step) ? "." : "") + step;
    }, "");
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
  list.addEventListener("click", function (event) {
    var hit = event.target.closest("li > a");
    if (hit) { history.replaceState({ hit: hit.href }, ""); }
  });
  var given = new URLSearchParams(location.search).get("q");
  if (given) { box.value = given; ask(); }
})();
