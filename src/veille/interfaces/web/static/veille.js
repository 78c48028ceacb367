// What every page does beyond its HTML: keys, questions before what cannot be undone, and what goes on now.
import "./keys.js";
import "./live.js";

document.addEventListener("submit", (event) => {
  const question = event.submitter?.dataset.confirm;
  if (question && !confirm(question)) event.preventDefault();
});

// On a phone the dossiers are folded away until they are wanted.
const rail = document.querySelector("[data-rail]");
if (rail && matchMedia("(max-width: 56rem)").matches) rail.open = false;
