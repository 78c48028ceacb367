// Choosing many: a range with shift, all with one box, and what can be done appears when something is chosen.
const bulk = document.querySelector("[data-bulk]");
const boxes = [...document.querySelectorAll('input[type="checkbox"][form="bulk"]')];
let last = null;

function show() {
  const count = boxes.filter((box) => box.checked).length;
  bulk.toggleAttribute("data-empty", !count);
  bulk.querySelector("[data-chosen]").textContent = count ? `${count} chosen` : "";
  all.checked = count === boxes.length;
  all.indeterminate = count > 0 && count < boxes.length;
  for (const box of boxes) box.closest("[data-item]")?.classList.toggle("chosen-row", box.checked);
}

const all = document.createElement("input");
if (bulk && boxes.length) {
  const label = document.createElement("label");
  all.type = "checkbox";
  label.className = "all";
  label.append(all, " All");
  bulk.prepend(label);
  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
    show();
  });
  for (const box of boxes) {
    box.addEventListener("click", (event) => {
      if (event.shiftKey && last && last !== box) {
        const [from, to] = [boxes.indexOf(last), boxes.indexOf(box)].sort((a, b) => a - b);
        for (const one of boxes.slice(from, to + 1)) one.checked = box.checked;
      }
      last = box;
      show();
    });
  }
  // A browser may remember the boxes when one goes back.
  addEventListener("pageshow", show);
  show();
}
