// Beside all pages: shows messages that a push service brings, and a page of our own when there is no network.
// Pages are never kept: they are somebody's. Kept are the files that everybody gets, and the page that says why.
const SHELL = "shell";
const OFFLINE = "/offline";

self.addEventListener("push", (event) => {
  const { title = "veille", body = "", tag = "", url = "" } = event.data?.json() ?? {};
  event.waitUntil(self.registration.showNotification(title, { body, tag, data: { url } }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { url } = event.notification.data;
  event.waitUntil(self.clients.openWindow(url || "/"));
});

self.addEventListener("install", (event) => event.waitUntil(keepShell()));

self.addEventListener("activate", (event) => {
  event.waitUntil(Promise.all([self.clients.claim(), self.registration.navigationPreload?.enable()]));
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== self.location.origin) return;
  if (event.request.mode === "navigate") event.respondWith(page(event));
  else if (isShell(url.pathname)) event.respondWith(shellFile(event, url.pathname));
});

// Files of an edition never change; those beside this worker may.
const isShell = (path) => path.startsWith("/static/") && !path.startsWith("/static/push/");

async function page(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    return (await caches.match(OFFLINE)) ?? Response.error();
  }
}

async function shellFile(event, path) {
  const known = await caches.match(event.request);
  if (known) return known;
  const answer = await fetch(event.request);
  // A file of another edition: the program was upgraded.
  if (answer.ok && (await isOfAnother(path))) event.waitUntil(keepShell().catch(() => {}));
  return answer;
}

// Whether a shell is kept, and nothing in it is of the edition of this file (/static/<edition>/…).
async function isOfAnother(path) {
  if (!(await caches.has(SHELL))) return false;
  const home = path.split("/", 3).join("/") + "/";
  const kept = await (await caches.open(SHELL)).keys();
  return !kept.some((old) => new URL(old.url).pathname.startsWith(home));
}

async function keepShell() {
  const answer = await fetch(OFFLINE, { credentials: "omit" });
  if (!answer.ok) throw new Error(`${OFFLINE}: ${answer.status}`);
  const html = await answer.clone().text();
  const files = [...html.matchAll(/"(\/static\/[^"]+)"/g)].map((found) => found[1]);
  const shell = await caches.open(SHELL);
  // What is old goes last: without a network in between, it is still there.
  await shell.addAll(files);
  await shell.put(OFFLINE, answer);
  const kept = new Set([OFFLINE, ...files].map((path) => new URL(path, self.location.origin).href));
  for (const old of await shell.keys()) if (!kept.has(old.url)) await shell.delete(old);
}
