// A row opens in place: what changed is fetched and stands below it; the list, the focus and the place stay.
import { fetchInto } from "./fragment.js";

let made = 0;

export async function turn(row) {
  const button = row?.querySelector("[data-open]");
  if (!button) return false;
  const place = row.querySelector(":scope > .opened");
  if (place) {
    const isOpen = place.toggleAttribute("hidden") === false;
    button.setAttribute("aria-expanded", String(isOpen));
    return true;
  }
  const opened = document.createElement("div");
  opened.className = "opened";
  opened.id = `opened-${++made}`;
  opened.setAttribute("role", "region");
  opened.setAttribute("aria-label", row.querySelector(".title")?.textContent ?? "");
  button.setAttribute("aria-busy", "true");
  const isThere = await fetchInto(opened, button.href).catch(() => false);
  button.removeAttribute("aria-busy");
  if (!isThere) {
    location.assign(button.href);
    return true;
  }
  row.append(opened);
  button.setAttribute("aria-expanded", "true");
  button.setAttribute("aria-controls", opened.id);
  return true;
}

for (const button of document.querySelectorAll("[data-open]")) button.setAttribute("aria-expanded", "false");
document.documentElement.classList.add("scripted");

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-open]");
  if (!button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  turn(button.closest("[data-item]"));
});

// `o` opens the row that has the focus here; Enter follows its link, as everywhere.
document.addEventListener(
  "keydown",
  (event) => {
    if (event.key !== "o" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea, dialog[open], [contenteditable]")) return;
    const row = event.target.closest("[data-item]");
    if (!row?.querySelector("[data-open]")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    turn(row);
  },
  { capture: true },
);
