// Keys. An element with data-key="g s" is followed, pressed or focused by that key; lists and documents have their own.
const PAUSE_MS = 1200;
const items = () => [...document.querySelectorAll("[data-item]")];
const current = () => document.activeElement?.closest?.("[data-item]");
let waiting = "";
let timer = 0;

function move(step) {
  const all = items();
  if (!all.length) return false;
  const at = all.indexOf(current());
  const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + step))];
  next.querySelector("a").focus();
  next.scrollIntoView({ block: "nearest" });
  return true;
}

// A list's item, or the one document that the page shows.
const subject = () => current() ?? document.querySelector("[data-subject]");

async function mark(what) {
  const one = subject();
  if (!one?.dataset.document) return false;
  const is = one.classList.contains(what === "read" ? "unread" : "kept");
  const value = what === "read" ? is : !is;
  const answer = await fetch(`${one.dataset.document}/${what}`, {
    method: "POST",
    body: new URLSearchParams({ value: value ? "1" : "0" }),
    headers: { Accept: "application/json" },
  });
  if (!answer.ok) return true;
  one.classList.toggle(what === "read" ? "unread" : "kept", what === "read" ? !value : value);
  document.dispatchEvent(new CustomEvent("marked", { detail: { what, value } }));
  return true;
}

function original() {
  const url = subject()?.dataset.original;
  if (!/^https?:/.test(url ?? "")) return false;
  open(url, "_blank", "noopener,noreferrer");
  return true;
}

async function showKeys() {
  const dialog = document.getElementById("keys");
  const { fetchInto } = await import("./fragment.js");
  if (!dialog.childElementCount && !(await fetchInto(dialog, "/keys"))) return;
  if (!dialog.open) dialog.showModal();
}

const actions = {
  j: () => move(1),
  n: () => move(1),
  k: () => move(-1),
  p: () => move(-1),
  o: () => (current() ? (current().querySelector("a").click(), true) : false),
  v: original,
  m: () => mark("read"),
  s: () => mark("keep"),
  x: () => {
    const one = subject();
    if (!one?.dataset.document) return false;
    location.assign(`${one.dataset.document}/diff`);
    return true;
  },
  "?": () => (showKeys(), true),
};

function press(key) {
  const named = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (named && key !== "?") {
    if (named.matches("input, select, textarea")) named.focus(), named.select?.();
    else named.click();
    return true;
  }
  return actions[key]?.() ?? false;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.closest("input, select, textarea, [contenteditable], dialog[open]")) {
    if (event.key === "Escape") event.target.blur?.();
    return;
  }
  clearTimeout(timer);
  const arrow = { ArrowLeft: "←", ArrowRight: "→" }[event.key] ?? event.key;
  const key = waiting ? `${waiting} ${arrow}` : arrow;
  waiting = "";
  if (key === "g") {
    waiting = "g";
    timer = setTimeout(() => (waiting = ""), PAUSE_MS);
    return;
  }
  if (press(key)) event.preventDefault();
});

document.addEventListener("click", (event) => {
  if (event.target.closest('a[data-key="?"]')) {
    event.preventDefault();
    showKeys();
  }
});
