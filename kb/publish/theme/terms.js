// What a term means, where it stands: on hover and on tap. By keyboard: the button «Terms» of the tools shows those
// of the provision the tools stand at. What they mean is in the page, in the list that those without a script read.
(function () {
  "use strict";
  var main = document.getElementById("main");
  var card = null, timer = 0, panel = null;

  function explained(mark) { return document.getElementById("term-" + mark.getAttribute("data-t")); }

  // A term's <dt> and the <dd>s after it, without ids.
  function copy(term) {
    var parts = [];
    for (var at = term; at && (at === term || at.tagName === "DD"); at = at.nextElementSibling) {
      var one = at.cloneNode(true);
      one.removeAttribute("id");
      parts.push(one);
    }
    return parts;
  }

  function list(terms, id) {
    var made = document.createElement("dl");
    made.className = "glossary";
    made.id = id;
    terms.forEach(function (term) { made.append.apply(made, copy(term)); });
    return made;
  }

  function hide() {
    clearTimeout(timer);
    if (card) { card.remove(); card = null; }
  }

  function later() {
    clearTimeout(timer);
    timer = setTimeout(hide, 250);
  }

  function show(mark) {
    clearTimeout(timer);
    if (card && card.kbFor === mark) { return; }
    hide();
    var term = explained(mark);
    if (!term) { return; }
    card = list([term], "term-card");
    card.kbFor = mark;
    card.classList.add("term-card");
    card.addEventListener("pointerenter", function () { clearTimeout(timer); });
    card.addEventListener("pointerleave", function (event) { if (event.pointerType !== "touch") { later(); } });
    main.append(card);
    // Of a term that runs over a line's end the part that is near.
    var place = mark.getClientRects()[0] || mark.getBoundingClientRect(), box = card.getBoundingClientRect();
    var wide = document.documentElement.clientWidth;
    var below = place.bottom + box.height + 8 < innerHeight || place.top < box.height + 8;
    card.style.left = Math.max(8, Math.min(place.left, wide - box.width - 8)) + scrollX + "px";
    card.style.top = (below ? place.bottom + 6 : place.top - box.height - 6) + scrollY + "px";
  }

  function of(event) { return event.target.closest ? event.target.closest(".t") : null; }

  main.addEventListener("pointerover", function (event) {
    var mark = event.pointerType === "touch" || event.buttons ? null : of(event);
    if (!mark) { return; }
    clearTimeout(timer);
    timer = setTimeout(function () { show(mark); }, 200);
  });
  main.addEventListener("pointerout", function (event) {
    if (event.pointerType !== "touch" && of(event)) { later(); }
  });
  // Who marks words to copy them does not ask what they mean.
  var selected = "";
  main.addEventListener("pointerdown", function () {
    clearTimeout(timer);
    selected = String(getSelection());
  });
  document.addEventListener("click", function (event) {
    var mark = of(event), tool = event.target.closest("[data-tool=terms]");
    if (tool) { return panel ? close() : open(tool); }
    if (mark && String(getSelection()) && String(getSelection()) !== selected) { return; }
    if (mark && !(card && card.kbFor === mark && card.kbTapped)) {
      show(mark);
      if (card) { card.kbTapped = true; }
    } else if (card && !card.contains(event.target)) {
      hide();
    }
    if (event.target.closest("main .p a.m, button[data-lang]")) { close(); }
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape") { hide(); close(); }
  });

  function close() {
    if (!panel) { return; }
    panel.remove();
    panel = null;
    document.querySelector("[data-tool=terms]").setAttribute("aria-expanded", "false");
  }

  function open(tool) {
    var place = tool.closest(".p") || main, terms = [];
    place.querySelectorAll(".t").forEach(function (mark) {
      var term = mark.getClientRects().length ? explained(mark) : null;
      if (term && terms.indexOf(term) < 0) { terms.push(term); }
    });
    panel = list(terms, "terms-here");
    panel.classList.add("terms-here");
    tool.closest(".tools").after(panel);
    tool.setAttribute("aria-controls", panel.id);
    tool.setAttribute("aria-expanded", "true");
  }
})();
