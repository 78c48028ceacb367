// Walks from change to change; the links alone lead to the first and the last.
const changes = [...document.querySelectorAll("[data-change]")];
const walked = document.querySelector("[data-walked]");
let at = -1;

function go(step) {
  if (!changes.length) return;
  changes[at]?.classList.remove("here");
  at = at < 0 && step < 0 ? changes.length - 1 : (at + step + changes.length) % changes.length;
  changes[at].classList.add("here");
  changes[at].scrollIntoView({ block: "center" });
  walked.textContent = `${at + 1} of ${changes.length}`;
}

for (const link of document.querySelectorAll("[data-step]"))
  link.addEventListener("click", (event) => {
    event.preventDefault();
    go(Number(link.dataset.step));
  });
