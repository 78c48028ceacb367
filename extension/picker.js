// Pointing at a part of the page: an outline follows the pointer, a click takes it, Escape ends it.
(() => {
  if (document.getElementById("veille-picker")) return;
  const frame = document.createElement("div");
  frame.id = "veille-picker";
  Object.assign(frame.style, {
    position: "fixed", zIndex: 2147483647, pointerEvents: "none", border: "3px solid #0b5c6b", borderRadius: "4px",
    background: "rgb(11 92 107 / .12)", font: "14px/1.4 system-ui", boxSizing: "border-box",
  });
  const note = document.createElement("div");
  note.textContent = "Click what veille should watch; Escape to stop.";
  Object.assign(note.style, {
    position: "fixed", zIndex: 2147483647, insetBlockEnd: "16px", insetInlineStart: "16px", padding: "8px 14px",
    background: "#0b5c6b", color: "#fff", borderRadius: "8px", font: "14px/1.4 system-ui", pointerEvents: "none",
  });
  document.documentElement.append(frame, note);
  let target;

  // As short as finds this element alone: an id, else classes and places up to one.
  const named = (element) => {
    if (element.id && document.querySelectorAll(`#${CSS.escape(element.id)}`).length === 1) return `#${CSS.escape(element.id)}`;
    const tag = element.localName;
    const plain = [...element.classList].filter((name) => /^[a-z][a-z_-]{2,}$/i.test(name)).slice(0, 2);
    return tag + plain.map((name) => `.${CSS.escape(name)}`).join("");
  };
  const placed = (element) => {
    const alike = [...(element.parentElement?.children ?? [])].filter((one) => one.localName === element.localName);
    return alike.length > 1 ? `${named(element)}:nth-of-type(${alike.indexOf(element) + 1})` : named(element);
  };
  const selectorOf = (element) => {
    const parts = [];
    for (let one = element; one && one !== document.documentElement; one = one.parentElement) {
      for (const part of [named(one), placed(one)]) {
        const selector = [part, ...parts].join(" > ");
        const found = document.querySelectorAll(selector);
        if (found.length === 1 && found[0] === element) return selector;
      }
      parts.unshift(placed(one));
    }
    return parts.join(" > ");
  };

  const over = (event) => {
    // Of a component with a document of its own, the element of the page: inside it the service finds nothing.
    target = event.target;
    const { left, top, width, height } = target.getBoundingClientRect();
    Object.assign(frame.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
  };
  const end = () => {
    for (const [name, listener] of Object.entries(listeners)) removeEventListener(name, listener, true);
    frame.remove();
  };
  const take = (event) => {
    event.preventDefault();
    event.stopPropagation();
    over(event);
    const selector = selectorOf(target);
    end();
    note.textContent = "…";
    const api = globalThis.browser ?? globalThis.chrome;
    const message = { what: "watch", selector, url: location.href.split("#")[0], title: document.title };
    api.runtime.sendMessage(message).then((answer) => {
      note.textContent = answer.told;
      note.id = "veille-told";
      setTimeout(() => note.remove(), 5000);
    });
  };
  const keys = (event) => {
    if (event.key !== "Escape") return;
    end();
    note.remove();
  };
  const listeners = { mousemove: over, click: take, keydown: keys };
  for (const [name, listener] of Object.entries(listeners)) addEventListener(name, listener, true);
})();
