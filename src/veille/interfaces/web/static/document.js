// A document that is open counts as read; buttons follow the keys; what is selected can be cited.
import { mark } from "./mark.js";

const subject = document.querySelector("[data-subject]");

document.addEventListener("marked", ({ detail: { what, value } }) => {
  const form = document.querySelector(`form[data-mark="${what}"]`);
  if (!form) return;
  const button = form.querySelector("button");
  form.elements.value.value = value ? "0" : "1";
  button.textContent = value ? button.dataset.on : button.dataset.off;
  button.setAttribute("aria-pressed", value);
});

if (subject?.classList.contains("unread")) mark(subject, "read", true);

for (const form of document.querySelectorAll("form[data-mark]"))
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    mark(subject, form.dataset.mark, form.elements.value.value === "1");
  });

const prose = document.querySelector(".prose");
const cite = document.querySelector("[data-cite]");

// How many letters stand before a place; white space is not counted, the server has it in other places.
function letters(node, offset) {
  const range = document.createRange();
  range.setStart(prose, 0);
  range.setEnd(node, offset);
  return [...range.toString().replace(/\s+/g, "")].length;
}

function selected() {
  const selection = getSelection();
  const range = selection.rangeCount ? selection.getRangeAt(0) : null;
  return range && !range.collapsed && prose.contains(range.commonAncestorContainer) ? range : null;
}

if (prose && cite) {
  document.addEventListener("selectionchange", () => (cite.hidden = !selected()));
  cite.addEventListener("pointerdown", (event) => event.preventDefault()); // keeps the selection
  cite.addEventListener("click", () => {
    const range = selected();
    if (!range) return;
    const place = new URLSearchParams({
      rev: subject.dataset.rev,
      start: letters(range.startContainer, range.startOffset),
      end: letters(range.endContainer, range.endOffset),
    });
    location.assign(`${subject.dataset.document}/cite?${place}`);
  });
}

for (const field of document.querySelectorAll("[data-copy]")) field.addEventListener("focus", () => field.select());
