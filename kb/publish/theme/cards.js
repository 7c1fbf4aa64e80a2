// Gives the citations of a page their cards (linker.js makes them), in the language the reader sees.
(function () {
  "use strict";
  if (!window.kbLinker) { return; }
  function tell() {
    var lang = document.documentElement.getAttribute("data-lang");
    // Sets the language and links nothing: the element is empty.
    window.kbLinker.link(document.createElement("span"), { lang: lang === "both" ? "" : lang });
  }
  tell();
  document.addEventListener("click", function (event) {
    if (event.target.closest("button[data-lang]")) { tell(); }
  });
  document.querySelectorAll("a.cite[data-ref]").forEach(function (link) {
    var parts = link.getAttribute("data-ref").split("/");
    if (parts.length === 3) { window.kbLinker.card(link, { work: parts[0], path: parts[2].split(".") }); }
  });
})();
