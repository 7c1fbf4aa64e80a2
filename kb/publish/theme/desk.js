// What stays on the device: pinned and recent places, settings; and the view for players.
(function () {
  "use strict";
  var root = document.documentElement;
  var site = window.kbSite;
  var langs = (root.getAttribute("data-langs") || "").split(" ");
  var RECENT = 12, PINNED = 40;

  function read(key) {
    try {
      var found = JSON.parse(localStorage.getItem("kb-" + key) || "[]");
      return Array.isArray(found) ? found.filter(function (one) { return one && typeof one.u === "string"; }) : [];
    } catch (error) { return []; }
  }

  function keep(key, value) {
    try { localStorage.setItem("kb-" + key, JSON.stringify(value)); } catch (error) { /* private mode: not kept */ }
  }

  // ---- what a page is about ------------------------------------------------------------------------------

  function section() {
    var id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch (error) { id = ""; }
    var target = id && document.getElementById(id);
    return target ? target.closest("section.p[id]") : null;
  }

  // The provision the address names, else the page: address, number, title by language.
  function place(only) {
    var at = only === "page" ? null : section();
    var marker = (at || document.querySelector("main")).querySelector("h1 > a[data-permalink], h2 > a[data-permalink], h3 > a[data-permalink], h4 > a[data-permalink], h5 > a[data-permalink], h6 > a[data-permalink]");
    if (!marker) { return null; }
    var titles = {};
    langs.forEach(function (lang, n) {
      var said = marker.parentElement.querySelector(".l" + (n + 1));
      if (said) { titles[lang] = bare(said); }
    });
    var here = location.href.split(/[?#]/)[0].slice(site.home.href.length);
    return {
      u: here + (at ? "#" + at.id : ""),
      n: number(marker),
      t: titles
    };
  }

  // What a place is called in short. A chapter has no number of its own: by its name.
  function number(marker) {
    if (!marker.classList.contains("part")) { return marker.getAttribute("data-permalink").split("/").filter(Boolean).pop(); }
    return (marker.querySelector(".u" + root.getAttribute("data-ui")) || marker).textContent;
  }

  function bare(element) {
    var copy = element.cloneNode(true);
    copy.querySelectorAll("small").forEach(function (one) { one.remove(); });
    return copy.textContent.trim();
  }

  // ---- recent and pinned ---------------------------------------------------------------------------------

  function without(list, one) { return list.filter(function (other) { return other.u !== one.u; }); }

  function remember() {
    var now = document.querySelector(".tools [data-tool=pin]") && place("page");
    if (now) { keep("recent", [now].concat(without(read("recent"), now)).slice(0, RECENT)); }
  }

  function pinned(one) { return read("pinned").some(function (other) { return other.u === one.u; }); }

  function pin(one) {
    var on = !pinned(one);
    var rest = without(read("pinned"), one);
    keep("pinned", on ? [one].concat(rest).slice(0, PINNED) : rest);
    return on;
  }

  function draw(shelf) {
    var key = shelf.getAttribute("data-shelf");
    var chips = shelf.querySelector(".chips");
    var found = read(key);
    root.classList.toggle("has-" + key, found.length > 0);
    chips.replaceChildren.apply(chips, found.map(function (one) { return chip(one, key); }));
  }

  function chip(one, key) {
    var item = document.createElement("span");
    var link = document.createElement("a");
    var number = document.createElement("b");
    var ui = langs[Number(root.getAttribute("data-ui")) - 1];
    var titles = one.t || {};
    var lang = titles[ui] ? ui : Object.keys(titles)[0];
    link.href = site.address(one.u);
    number.textContent = one.n || one.u;
    link.append(number);
    if (lang) {
      var title = document.createElement("span");
      title.lang = lang;
      title.textContent = titles[lang];
      link.append(" ", title);
    }
    item.className = "chip";
    item.append(link);
    if (key === "pinned") {
      var off = document.createElement("button");
      off.type = "button";
      off.textContent = "×";
      off.setAttribute("aria-label", site.word("unpin") + " " + number.textContent);
      off.addEventListener("click", function () { pin(one); draw(item.closest(".shelf")); });
      item.append(off);
    }
    return item;
  }

  function shelves() { document.querySelectorAll(".shelf").forEach(draw); }

  // ---- tools of a page -----------------------------------------------------------------------------------

  var tools = document.querySelector(".tools [data-tool=pin]") ? document.querySelector(".tools") : null;
  var top = tools && tools.previousElementSibling;

  function update() {
    var now = tools && place();
    if (!now) { return; }
    tools.querySelector("[data-tool=pin]").setAttribute("aria-pressed", String(pinned(now)));
    tools.querySelector("[data-tool-place]").textContent = now.n;
  }

  document.addEventListener("click", function (event) {
    var button = event.target.closest("button[data-tool]");
    var marker = event.target.closest("main .p a.m");
    if (marker && tools) {
      // the tools come to the provision whose number was tapped
      marker.parentElement.after(tools);
      setTimeout(update, 0);
    }
    if (event.target.closest("button[data-lang]")) { shelves(); update(); }
    if (!button) { return; }
    var what = button.getAttribute("data-tool");
    if (what === "pin") {
      var now = place();
      if (now) { site.say(site.word(pin(now) ? "pinned-said" : "unpinned-said")); }
      update();
    } else if (what === "print") {
      print();
    } else if (what === "players") {
      players(true);
    } else if (what === "leave") {
      players(false);
    }
  });

  function players(on) {
    root.classList.toggle("players", on);
    var url = new URL(location.href);
    if (on) { url.searchParams.set("view", "players"); } else { url.searchParams.delete("view"); }
    history.replaceState(history.state, "", url);
    var next = document.querySelector(on ? ".leave button" : "[data-tool=players]");
    if (next) { next.focus(); }
    var at = section();
    if (at) { at.scrollIntoView(); }
  }

  addEventListener("keydown", function (event) {
    if (event.key === "Escape" && root.classList.contains("players")) { players(false); }
  });

  // ---- settings ------------------------------------------------------------------------------------------

  document.querySelectorAll("[data-setting=keys]").forEach(function (one) {
    one.checked = site.keys();
    one.addEventListener("change", function () {
      try { localStorage.setItem("kb-keys", one.checked ? "on" : "off"); } catch (error) { /* private mode: not kept */ }
    });
  });

  if (top) { addEventListener("hashchange", update); }
  remember();
  shelves();
  update();
})();
