// What every page does beyond its HTML: keys, questions before what cannot be undone, and what goes on now.
import "./keys.js";
import "./live.js";

// An installed app has the worker from its first start on.
if (matchMedia("(display-mode: standalone)").matches) import("./shell.js").then(({ isPossible, beside }) => isPossible && beside());

// Where tabs have no room, the one that is open is in sight.
const tab = document.querySelector(".tabs [aria-current]");
if (tab && matchMedia("(max-width: 72rem)").matches) {
  tab.parentElement.scrollLeft = tab.offsetLeft - (tab.parentElement.clientWidth - tab.offsetWidth) / 2;
}

document.addEventListener("submit", (event) => {
  const question = event.submitter?.dataset.confirm;
  if (question && !confirm(question)) event.preventDefault();
});

// What takes a while says so, and is not sent twice.
document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (event.defaultPrevented || !event.target.dataset.wait || !button) return;
  button.dataset.label = button.textContent;
  button.textContent = event.target.dataset.wait;
  button.setAttribute("aria-busy", "true");
  setTimeout(() => (button.disabled = true));
});
addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("[aria-busy]")) {
    button.disabled = false;
    button.textContent = button.dataset.label;
    button.removeAttribute("aria-busy");
  }
});
