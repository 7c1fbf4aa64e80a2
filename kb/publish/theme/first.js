// Runs before the first paint, so that the chosen language shows without a jump. Nothing else belongs here.
(function () {
  "use strict";
  var root = document.documentElement;
  var langs = (root.getAttribute("data-langs") || "").split(" ");
  var allowed = langs.concat("both");
  function stored() {
    try { return localStorage.getItem("kb-lang"); } catch (error) { return null; }
  }
  function byBrowser() {
    var wanted = navigator.languages || [navigator.language || ""];
    for (var n = 0; n < wanted.length; n++) {
      var code = wanted[n].slice(0, 2).toLowerCase();
      if (langs.indexOf(code) >= 0) { return code; }
    }
    return langs[0];
  }
  var asked = new URLSearchParams(location.search).get("lang");
  if (allowed.indexOf(asked) >= 0) {
    try { localStorage.setItem("kb-lang", asked); } catch (error) { /* private mode: the address still counts */ }
  } else {
    asked = stored();
  }
  if (allowed.indexOf(asked) < 0) { asked = byBrowser(); }
  // In "both" the words of the interface stay in one language: the last one chosen, else the browser's.
  var ui = asked;
  if (asked === "both") {
    try { ui = localStorage.getItem("kb-ui"); } catch (error) { ui = null; }
    if (langs.indexOf(ui) < 0) { ui = byBrowser(); }
  }
  root.setAttribute("data-show", asked === "both" ? "both" : String(langs.indexOf(asked) + 1));
  root.setAttribute("data-ui", String(langs.indexOf(ui) + 1));
  root.setAttribute("data-lang", asked);
  root.lang = ui;
  root.classList.add("js");
  // Shelves of the front page that hold something: their room is there before what is on them.
  ["pinned", "recent"].forEach(function (key) {
    try {
      if ((localStorage.getItem("kb-" + key) || "").length > 2) { root.classList.add("has-" + key); }
    } catch (error) { /* private mode: nothing is kept */ }
  });
  if (new URLSearchParams(location.search).get("view") === "players") { root.classList.add("players"); }
})();
