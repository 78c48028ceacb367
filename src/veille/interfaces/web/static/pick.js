// Pointing at parts of a page: the frame says which element is meant, the server says what it would give.
const box = document.querySelector("[data-pick]");
if (box) {
  box.hidden = false;
  const frame = box.querySelector("iframe");
  const form = box.querySelector("form");
  const list = box.querySelector("[data-list]");
  const full = box.querySelector("[data-full]");
  const [selector, text] = [box.querySelector("[data-selector]"), box.querySelector("[data-text]")];
  const known = new Map();
  const picked = new Map();
  let wanted = -1;

  const ask = async (n) => {
    if (!known.has(n)) {
      const answer = await fetch(`${box.dataset.pick}/element?n=${n}`);
      known.set(n, await answer.json());
    }
    return known.get(n);
  };
  const look = async (n) => {
    wanted = n;
    await new Promise((go) => setTimeout(go, 60)); // what is only passed over is not asked for
    if (wanted !== n) return;
    const part = await ask(n);
    if (wanted !== n) return;
    selector.textContent = part.error ?? part.selector;
    text.textContent = part.text ?? "";
  };
  const numbers = (does) => [...picked].filter(([, one]) => one === does).map(([n]) => n);
  const draw = async () => {
    frame.contentWindow.postMessage({ taken: numbers("take"), ignored: numbers("leave") }, "*");
    const rows = [];
    for (const [n, does] of [...picked].sort(([a], [b]) => a - b)) {
      const part = await ask(n);
      const row = document.createElement("li");
      row.className = does;
      const input = Object.assign(document.createElement("input"), { type: "hidden", name: does, value: n });
      const what = document.createElement("span");
      what.textContent = `${does === "leave" ? "Not: " : ""}${(part.text ?? part.error).slice(0, 200)}`;
      const drop = Object.assign(document.createElement("button"), { type: "button", textContent: "Remove" });
      drop.className = "quiet";
      drop.addEventListener("click", () => { picked.delete(n); full.hidden = true; draw(); });
      row.append(input, what, " ", drop);
      rows.push(row);
    }
    list.replaceChildren(...rows);
  };
  const pick = (n) => {
    const does = form.elements.does.value;
    full.hidden = picked.has(n) || picked.size < 20;
    if (picked.get(n) === does) picked.delete(n);
    else if (full.hidden) picked.set(n, does);
    draw();
  };
  addEventListener("message", (event) => {
    // Only the frame is listened to, and only numbers are taken from it.
    if (event.source !== frame.contentWindow || !Number.isSafeInteger(event.data?.n)) return;
    const { what, n } = event.data;
    if (what === "at") look(n);
    else if (what === "pick") { look(n); pick(n); }
    else if (what === "leave") {
      frame.blur();
      window.focus();
      form.querySelector("button.primary").focus();
    }
  });
  for (const [name, does] of [["taken", "take"], ["ignored", "leave"]])
    for (const n of list.dataset[name].split(" ").filter(Boolean)) picked.set(Number(n), does);
  if (picked.size) draw();
}
