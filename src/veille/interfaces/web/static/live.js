// The strip of what goes on now, kept up to date by the server; and on pages of changes, how many are new.
const strip = document.querySelector("[data-live]");
const KEPT = "veille.queue";
const KEEP_MS = 180_000;
const PAUSE_MS = 300;
const STEPS = [[60, 1, "s"], [3600, 60, "min"], [86_400, 3600, "h"], [Infinity, 86_400, "d"]];
let stream = null;
let again = 0;

const number = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");

function until(at) {
  if (!at) return "–";
  const seconds = Math.round((at - Date.now()) / 1000);
  const [, size, unit] = STEPS.find(([limit]) => Math.abs(seconds) < limit);
  const text = `${Math.floor(Math.abs(seconds) / size)} ${unit}`;
  return seconds > 0 ? `in ${text}` : "now";
}

function put(name, text, isBad = false) {
  for (const place of document.querySelectorAll(`[data-is="${name}"]`)) {
    if (place.textContent !== text) place.textContent = text;
    place.classList.toggle("bad", isBad);
  }
}

function count() {
  for (const place of document.querySelectorAll('[data-is="next"]')) {
    if (place.dataset.at) place.textContent = until(Number(place.dataset.at));
  }
}

// The queue of the last three minutes; kept across pages, for a line that starts anew each time says nothing.
function draw(size) {
  let kept = [];
  try {
    kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
  } catch { /* nothing is kept where nothing may be */ }
  const now = Date.now();
  kept = kept.filter(([at]) => now - at < KEEP_MS);
  if (size !== null) kept.push([now, size]);
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(kept));
  } catch { /* likewise */ }
  const trace = strip.querySelector(".trace");
  if (!trace) return;
  // A queue that was empty all the time has no line to show.
  if (!kept.some(([, value]) => value)) {
    trace.setAttribute("hidden", "");
    return;
  }
  const most = Math.max(1, ...kept.map(([, value]) => value));
  const place = ([at, value]) => [3 + 114 * (1 - (now - at) / KEEP_MS), 25 - 22 * (value / most)];
  const points = [...kept, [now, kept.at(-1)[1]]].map(place);
  const round = (value) => value.toFixed(1);
  trace.querySelector("polyline").setAttribute("points", points.map((point) => point.map(round).join(",")).join(" "));
  const dot = trace.querySelector("circle");
  dot.setAttribute("cx", round(points.at(-1)[0]));
  dot.setAttribute("cy", round(points.at(-1)[1]));
  trace.removeAttribute("hidden");
}

function news(seq) {
  const fresh = seq - Number(strip.dataset.seq);
  for (const place of document.querySelectorAll("[data-news]")) {
    place.hidden = fresh <= 0;
    place.querySelector("a").textContent = `${fresh} new: show`;
  }
}

function told(event) {
  const now = JSON.parse(event.data);
  put("due", number(now.due) + (now.due >= 1000 ? "+" : ""));
  put("leased", number(now.leased));
  put("errors", number(now.errors), now.errors > 0);
  put("workers", String(now.workers), now.workers === 0);
  for (const place of document.querySelectorAll('[data-is="next"]')) place.dataset.at = now.next ?? "";
  put("next", until(now.next));
  draw(now.due + now.leased);
  news(now.seq);
  strip.classList.remove("lost");
}

// Only while the page is seen: browsers allow few connections to one server, and hidden tabs would take them all.
function listen() {
  clearTimeout(again);
  stream?.close();
  stream = null;
  if (document.hidden) return;
  stream = new EventSource(strip.dataset.live);
  stream.onmessage = told;
  stream.onerror = () => {
    strip.classList.add("lost");
    // A browser tries again by itself unless it was refused.
    if (stream?.readyState === EventSource.CLOSED) again = setTimeout(listen, 15_000);
  };
}

function begin() {
  draw(null);
  listen();
  document.addEventListener("visibilitychange", listen);
  addEventListener("pagehide", () => stream?.close());
  addEventListener("pageshow", (event) => event.persisted && listen());
  setInterval(() => (count(), draw(null)), 1000);
}

// The page itself tells what goes on now: there is time for it to be painted first.
if (strip) {
  const beginning = setTimeout(begin, PAUSE_MS);
  // Between the end of the session and the next page, the stream would be refused.
  document.querySelector('form[action="/logout"]')?.addEventListener("submit", () => {
    clearTimeout(beginning);
    stream?.close();
  });
}
