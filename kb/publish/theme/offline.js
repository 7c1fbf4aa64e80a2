// Asks the browser to keep the site, once the page itself is there; offers an update, and never forces one.
(function () {
  "use strict";
  var site = window.kbSite;
  var panel = document.querySelector("[data-offline]");
  var able = "serviceWorker" in navigator && /^https?:$/.test(location.protocol);

  function tell(state) {
    if (!panel) { return; }
    panel.querySelectorAll("[data-state]").forEach(function (one) { one.hidden = one.getAttribute("data-state") !== state; });
  }

  if (!able) { return tell("unable"); }
  var reloading = false;
  var asked = false;
  navigator.serviceWorker.addEventListener("controllerchange", function () {
    if (asked && !reloading) { reloading = true; location.reload(); }
    if (!asked) { tell("kept"); }
  });

  function offer(worker) {
    var box = document.querySelector(".update");
    box.hidden = false;
    box.querySelector("button").addEventListener("click", function () {
      asked = true;
      worker.postMessage("now");
    }, { once: true });
  }

  function watch(worker) {
    worker.addEventListener("statechange", function () {
      if (worker.state === "installed" && navigator.serviceWorker.controller) { offer(worker); }
      if (worker.state === "activated") { tell("kept"); }
      if (worker.state === "redundant" && !navigator.serviceWorker.controller) { tell("failed"); }
    });
  }

  function keep() {
    tell("keeping");
    navigator.serviceWorker.register(new URL("sw.js", site.home), { updateViaCache: "none" }).then(function (made) {
      if (made.active) { tell("kept"); }
      if (made.waiting && navigator.serviceWorker.controller) { offer(made.waiting); }
      if (made.installing) { watch(made.installing); }
      made.addEventListener("updatefound", function () { watch(made.installing); });
    }).catch(function () { tell(navigator.serviceWorker.controller ? "kept" : "failed"); });
  }

  // Those who save data are asked first: the button is on the page about it.
  var saves = navigator.connection && navigator.connection.saveData && !navigator.serviceWorker.controller;
  if (panel) { panel.querySelector("button").addEventListener("click", keep); }
  if (saves) { return tell("asks"); }
  function later() { setTimeout(keep, panel ? 0 : 2000); }
  if (document.readyState === "complete") { later(); } else { addEventListener("load", later); }
})();
