// The choice of language, copying of permanent links, and opening what an address points to.
(function () {
  "use strict";
  var root = document.documentElement;
  var body = document.body;
  var langs = (root.getAttribute("data-langs") || "").split(" ");
  var home = new URL(body.getAttribute("data-root") || "./", location.href);

  function say(text) {
    var box = document.getElementById("said");
    box.textContent = text;
    box.classList.add("on");
    setTimeout(function () { box.classList.remove("on"); }, 2500);
  }

  function word(name) {
    var all = (body.getAttribute("data-" + name) || "").split(" / ");
    var at = Number(root.getAttribute("data-ui")) - 1;
    return all.length === langs.length && at >= 0 ? all[at] : all.join(" / ");
  }

  function show(choice) {
    root.setAttribute("data-show", choice === "both" ? "both" : String(langs.indexOf(choice) + 1));
    root.setAttribute("data-lang", choice);
    if (choice !== "both") {
      root.setAttribute("data-ui", String(langs.indexOf(choice) + 1));
      root.lang = choice;
      try { localStorage.setItem("kb-ui", choice); } catch (error) { /* private mode: for this page only */ }
    }
    document.querySelectorAll("button[data-lang]").forEach(function (button) {
      button.setAttribute("aria-pressed", String(button.getAttribute("data-lang") === choice));
    });
    document.querySelectorAll("[aria-label]").forEach(label);
  }

  // A name that is only heard, in the reader's language: written are all of them, «Язык / Language».
  function label(one) {
    var said = one.getAttribute("data-label") || one.getAttribute("aria-label");
    var all = said.split(" / "), at = Number(root.getAttribute("data-ui")) - 1;
    if (all.length !== langs.length || at < 0) { return; }
    one.setAttribute("data-label", said);
    one.setAttribute("aria-label", all[at]);
  }

  var group = document.querySelector(".langs");
  if (group) {
    group.hidden = false;
    show(root.getAttribute("data-lang"));
    group.addEventListener("click", function (event) {
      var button = event.target.closest("button[data-lang]");
      if (!button) { return; }
      var choice = button.getAttribute("data-lang");
      // keep the place the reader is at: languages differ in length
      var mark = anchorAtTop();
      var before = mark ? mark.getBoundingClientRect().top : 0;
      show(choice);
      if (mark) { scrollBy(0, mark.getBoundingClientRect().top - before); }
      try { localStorage.setItem("kb-lang", choice); } catch (error) { /* private mode: for this page only */ }
      var url = new URL(location.href);
      if (url.searchParams.has("lang")) {
        url.searchParams.set("lang", choice);
        history.replaceState(null, "", url);
      }
    });
  }

  function anchorAtTop() {
    if (scrollY < 40) { return null; }
    var places = document.querySelectorAll("main [id]");
    for (var n = 0; n < places.length; n++) {
      if (places[n].getBoundingClientRect().top >= 0) { return places[n]; }
    }
    return null;
  }

  document.addEventListener("click", function (event) {
    var link = event.target.closest("a[data-permalink]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || !navigator.clipboard) { return; }
    var address = new URL(link.getAttribute("data-permalink"), home).href;
    navigator.clipboard.writeText(address).then(function () { say(word("copied")); }, function () { /* the link itself still works */ });
  });

  // How to cite: whole addresses, and buttons that copy.
  document.querySelectorAll("details.citing").forEach(function (box) {
    var path = box.getAttribute("data-path");
    box.querySelectorAll("dd").forEach(function (row) {
      var code = row.querySelector("code"), button = row.querySelector("button");
      code.textContent = code.textContent.split(path).join(new URL(path.replace(/^\//, ""), home).href);
      button.hidden = !navigator.clipboard;
      button.addEventListener("click", function () {
        navigator.clipboard.writeText(code.textContent).then(function () { say(word("copied")); }, function () { /* it can be marked by hand */ });
      });
    });
  });

  // What scrolls by itself must be reachable by keyboard.
  document.querySelectorAll("main pre, main > table").forEach(function (one) {
    if (one.scrollWidth > one.clientWidth) { one.tabIndex = 0; }
  });

  function open() {
    var target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (var at = target; at; at = at.parentElement) {
      if (at.tagName === "DETAILS") { at.open = true; }
    }
    document.querySelectorAll(".lead").forEach(function (one) { one.remove(); });
    if (target && target.matches("section.p")) { lead(target); }
  }

  // Which law it is, and how the places above begin, may limit what a part says: what is near stays in view, the
  // rest is repeated.
  function lead(target) {
    var above = [];
    for (var at = target.parentElement; at && at.id !== "main"; at = at.parentElement) {
      if (at.matches("section.p")) { above.unshift(at); }
    }
    if (at && at.querySelector(":scope > h1")) { above.unshift(at); }
    var shown = target;
    for (var n = above.length - 1; n >= 0; n--) {
      var head = above[n].matches("section.p") ? above[n] : above[n].querySelector(":scope > h1");
      if (topOf(target) - topOf(head) >= innerHeight * 0.4) { break; }
      shown = head;
    }
    if (n >= 0) { shown.prepend(repeated(above.slice(0, n + 1))); }
    var near = topOf(target) - topOf(shown);
    target.style.scrollMarginTop = near ? near + "px" : "";
    settle();
    if (document.readyState !== "complete") { addEventListener("load", settle, { once: true }); }

    // Where the browser has gone to the place itself; not where it brings back the reader of before.
    function settle() {
      if (near && Math.abs(topOf(target)) < 60) { target.scrollIntoView(); }
    }
  }

  function topOf(one) { return one.getBoundingClientRect().top; }

  function repeated(above) {
    var box = document.createElement("div");
    box.className = "lead";
    box.setAttribute("role", "note");
    box.setAttribute("aria-label", word("lead"));
    above.forEach(function (place) {
      var head = place.querySelector(":scope > h1, :scope > h2, :scope > h3, :scope > h4, :scope > h5");
      var line = document.createElement("p");
      head.childNodes.forEach(function (node) {
        if (node.nodeType === 1 && node.matches(".vh")) { return; }
        var copy = node.cloneNode(true);
        if (node.nodeType === 1 && node.matches("a")) {
          copy = document.createElement("b");
          copy.append.apply(copy, Array.from(node.childNodes, function (one) { return one.cloneNode(true); }));
        }
        line.append(copy);
      });
      box.append(line);
      place.querySelectorAll(":scope > .state, :scope > .pair:not(.notes)").forEach(function (one) {
        // what stands after the parts comes after them here too, and limits nothing before
        if (!one.previousElementSibling.matches("section.p")) { box.append(one.cloneNode(true)); }
      });
    });
    box.querySelectorAll("[id]").forEach(function (one) { one.removeAttribute("id"); });
    return box;
  }
  addEventListener("hashchange", open);
  open();
  addEventListener("beforeprint", function () {
    document.querySelectorAll("details.comment").forEach(function (one) { one.open = true; });
  });
  // Single-key shortcuts, unless they are turned off.
  function keys() {
    try { return localStorage.getItem("kb-keys") !== "off"; } catch (error) { return true; }
  }

  // An address of the site. From a file there is no server to know that a folder means its index.html.
  function address(path) {
    var url = new URL(String(path).replace(/^\//, ""), home);
    if (url.protocol === "file:" && url.pathname.endsWith("/")) { url.pathname += "index.html"; }
    return url.href;
  }

  window.kbSite = { word: word, home: home, say: say, keys: keys, address: address };
})();
