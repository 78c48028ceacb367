// Keys. An element with data-key="g s" is followed, pressed or focused by that key; lists and documents have their own.
import { mark } from "./mark.js";

const PAUSE_MS = 1200;
// What is folded away cannot be gone to, nor what leads nowhere.
const isOpen = (one) => !one.closest("details:not([open])") && one.querySelector("a");
const items = () => [...document.querySelectorAll("[data-item]")].filter(isOpen);
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

function turn(what) {
  const one = subject();
  if (!one?.dataset.document) return false;
  mark(one, what, one.classList.contains(what === "read" ? "unread" : "kept") === (what === "read"));
  return true;
}

function original() {
  const { original: url, document: place } = subject()?.dataset ?? {};
  // A very long address is on the page of its document.
  if (!url && place) return location.assign(place), true;
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
  m: () => turn("read"),
  s: () => turn("keep"),
  R: () => {
    const look = current()?.querySelector('[formaction$="/fetch"]');
    look?.click();
    return Boolean(look);
  },
  x: () => {
    const box = current()?.querySelector('input[type="checkbox"][form="bulk"]');
    if (box) return box.click(), true;
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
  const dialog = event.target.closest("dialog[open]");
  if (dialog || event.target.closest("input, select, textarea, [contenteditable]")) {
    if (event.key === "Escape") event.target.blur?.();
    else if (dialog && event.key === "?") dialog.close();
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

// A menu closes like one, and its items are gone through with the arrows.
const opened = () => document.querySelector(".menu[open]");
function close(isBack) {
  const menu = opened();
  menu?.removeAttribute("open");
  if (isBack) menu?.querySelector("summary").focus();
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    if (opened()) close(true);
    else if (location.hash === "#places") location.replace("#main");
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const menu = step && event.target.closest?.(".menu[open]");
  if (!menu) return;
  const all = [...menu.querySelectorAll("summary, nav a, nav button, .sheet a, .sheet button")];
  all[(all.indexOf(event.target) + step + all.length) % all.length].focus();
  event.preventDefault();
});
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll(".menu[open]")) {
    if (!menu.contains(event.target)) menu.removeAttribute("open");
  }
  if (event.target.closest('a[data-key="?"]')) {
    event.preventDefault();
    close(false);
    showKeys();
  }
});
