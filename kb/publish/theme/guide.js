// A guide step by step: the stylesheet shows the step the address names, this keeps the way that led to it.
(function () {
  "use strict";
  var guide = document.querySelector(".guide");
  if (!guide) { return; }
  var bar = document.querySelector(".guide-bar");
  var trail = document.querySelector(".trail");
  var back = bar.querySelector("[data-guide=back]");
  var all = bar.querySelector("[data-guide=all]");
  var steps = Array.from(guide.querySelectorAll(".step"));
  var asked = null;

  function current() {
    var id = decodeURIComponent(location.hash.slice(1));
    return steps.find(function (step) { return step.id === id; }) || steps[0];
  }

  // [step, number of the answer] for each answer given on the way here.
  function way() { return (history.state && history.state.way) || []; }

  function draw(move) {
    var now = current();
    var made = way();
    trail.replaceChildren.apply(trail, made.map(function (pair, place) {
      var step = document.getElementById(pair[0]);
      var answer = step && step.querySelectorAll(".answers li")[pair[1]];
      var line = document.createElement("li");
      var link = document.createElement("a");
      if (!answer) { return line; }
      link.href = "#" + pair[0];
      link.setAttribute("data-place", place);
      link.append.apply(link, parts(step.querySelector("h2")));
      line.append(link);
      if (step.classList.contains("question")) {
        var given = document.createElement("b");
        given.append.apply(given, parts(answer.querySelector("a")));
        line.append(" ", given);
      }
      return line;
    }));
    back.disabled = now === steps[0];
    if (move && !guide.classList.contains("all")) {
      now.querySelector("h2").focus({ preventScroll: true });
      bar.scrollIntoView({ block: "nearest" });
    }
  }

  function parts(element) {
    return Array.from(element.childNodes).filter(function (one) {
      return !(one.classList && (one.classList.contains("to") || one.classList.contains("of") || one.classList.contains("headerlink")));
    }).map(function (one) { return one.cloneNode(true); });
  }

  function go(id, made) {
    asked = made;
    if (location.hash === "#" + id) { settle(); } else { location.hash = id; }
  }

  function settle() {
    if (asked) { history.replaceState({ way: asked }, ""); asked = null; }
    draw(true);
  }

  // The way back of one who came by a link to a step: the first step that leads here.
  function before(step) {
    var link = guide.querySelector(".answers a[href='#" + step.id + "']");
    return link ? link.closest(".step").id : steps[0].id;
  }

  guide.addEventListener("click", function (event) {
    var link = event.target.closest(".answers a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) { return; }
    var target = link.getAttribute("href");
    if (target.charAt(0) !== "#") { return; }
    event.preventDefault();
    var step = link.closest(".step");
    var place = Array.from(step.querySelectorAll(".answers li")).indexOf(link.closest("li"));
    go(target.slice(1), way().concat([[step.id, place]]));
  });
  trail.addEventListener("click", function (event) {
    var link = event.target.closest("a");
    if (!link) { return; }
    event.preventDefault();
    go(link.getAttribute("href").slice(1), way().slice(0, Number(link.getAttribute("data-place"))));
  });
  bar.addEventListener("click", function (event) {
    var button = event.target.closest("button");
    var what = button && button.getAttribute("data-guide");
    var made = way();
    if (what === "back") {
      go(made.length ? made[made.length - 1][0] : before(current()), made.slice(0, -1));
    } else if (what === "start") {
      go(steps[0].id, []);
    } else if (what === "all") {
      var on = guide.classList.toggle("all");
      all.setAttribute("aria-pressed", String(on));
    }
  });
  addEventListener("hashchange", settle);
  draw(false);
})();
