// Keeps the whole site on the device. Made by the build: the list of files, a hash each, and the version.
"use strict";
const MADE = /*kb*/;
const ROOT = new URL("./", self.location).href;
const NAME = "kb:" + ROOT + ":" + MADE.version;
const LIST = ROOT + "kept-files.json";
const FILES = new Map(Object.entries(MADE.files));
const AT_ONCE = 6;

self.addEventListener("install", (event) => event.waitUntil(fill()));

// Nothing is sent for again that an earlier version has, or that came before the network went.
async function fill() {
  const cache = await caches.open(NAME);
  const old = await earlier();
  const waiting = Array.from(FILES.keys());
  async function work() {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const url = ROOT + path;
      if (await cache.match(url)) { continue; }
      const same = old && old.files[path] === FILES.get(path) ? await old.cache.match(url) : null;
      const answer = same || await fetch(new Request(url, { cache: "no-cache" }));
      if (!answer.ok) { throw new Error(url + ": " + answer.status); }
      await cache.put(url, answer);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await cache.put(LIST, new Response(JSON.stringify(MADE.files)));
}

async function earlier() {
  for (const name of (await caches.keys()).filter(ours)) {
    const cache = await caches.open(name);
    const list = await cache.match(LIST);
    if (list) { return { cache, files: await list.json() }; }
  }
  return null;
}

function ours(name) { return name.startsWith("kb:" + ROOT + ":") && name !== NAME; }

self.addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of (await caches.keys()).filter(ours)) { await caches.delete(name); }
  await self.clients.claim();
})()));

// The reader has said yes to the update.
self.addEventListener("message", (event) => { if (event.data === "now") { self.skipWaiting(); } });

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  const address = url.origin + url.pathname;
  if (event.request.method !== "GET" || !address.startsWith(ROOT)) { return; }
  const path = decodeURI(address.slice(ROOT.length)).replace(/(^|\/)index\.html$/, "$1");
  if (FILES.has(path)) {
    event.respondWith(kept(path, event.request));
  } else if (event.request.mode === "navigate") {
    event.respondWith(fetch(event.request).catch(() => instead(path)));
  }
});

async function kept(path, request) {
  const found = await caches.open(NAME).then((cache) => cache.match(ROOT + path));
  return found || fetch(request);
}

// Without a network: from a permanent address to the page it is of, else the page that says there is none.
async function instead(path) {
  const parts = path.split("/").filter(Boolean);
  const work = MADE.works[parts[0]];
  if (work && parts.length > 1) {
    return Response.redirect(ROOT + "cite/?kept&q=" + encodeURIComponent(work + "/" + parts[parts.length - 1]));
  }
  if (FILES.has(path + "/")) { return Response.redirect(ROOT + path + "/"); }
  const page = await caches.open(NAME).then((cache) => cache.match(ROOT + "404.html"));
  return page ? new Response(page.body, { status: 404, headers: page.headers }) : Response.error();
}
