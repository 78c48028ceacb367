// The links, buttons and fields in the window, with the step that uses each: see `Box` in core/browsing/visit.py.
([most, width, height]) => {
  const NO_FIELDS = ["submit", "button", "reset", "image", "checkbox", "radio"];
  const SWITCHES = ["checkbox", "radio"];
  const isOnly = (selector) => document.querySelectorAll(selector).length === 1;
  const byId = (one) => (one.id && isOnly("#" + CSS.escape(one.id)) ? "#" + CSS.escape(one.id) : "");
  const words = (one) =>
    (one.innerText || one.value || one.ariaLabel || one.title || "").trim().replace(/\s+/g, " ");

  // The places of the children of an element among those of their kind, counted once.
  const counted = new Map();
  const place = (one) => {
    const parent = one.parentElement;
    if (!counted.has(parent)) {
      const [counts, places] = [{}, new Map()];
      for (const child of parent.children) {
        counts[child.tagName] = (counts[child.tagName] || 0) + 1;
        places.set(child, counts[child.tagName]);
      }
      counted.set(parent, places);
    }
    return counted.get(parent).get(one);
  };
  const path = (one) => {
    const parts = [];
    for (let at = one; at && at.parentElement && at !== document.body; at = at.parentElement) {
      if (byId(at)) return [byId(at), ...parts].join(" > ");
      parts.unshift(`${at.tagName.toLowerCase()}:nth-of-type(${place(at)})`);
    }
    return ["body", ...parts].join(" > ");
  };
  const named = (one) => {
    const name = one.getAttribute("name");
    const byName = name ? `${one.tagName.toLowerCase()}[name='${CSS.escape(name)}']` : "";
    return byId(one) || (byName && isOnly(byName) ? byName : path(one));
  };

  // A page may have any number of elements: only the first are looked at.
  const elements = document.querySelectorAll("a[href], button, input, select, textarea, [role=button], summary");
  const all = Array.prototype.slice.call(elements, 0, 10 * most);
  const texts = all.map((one) => words(one).toLowerCase());
  const isUnique = (said, one) =>
    !texts.some((text, at) => all[at] !== one && text.includes(said.toLowerCase()));
  const found = [];
  for (const one of all) {
    const box = one.getBoundingClientRect();
    const isInside = box.bottom > 0 && box.right > 0 && box.top < height && box.left < width;
    const isSeen = box.width >= 4 && box.height >= 4 && getComputedStyle(one).visibility !== "hidden";
    const kind = one.tagName.toLowerCase();
    const type = kind === "input" ? (one.getAttribute("type") || "text").toLowerCase() : "";
    if (!isInside || !isSeen || one.disabled || ["file", "hidden"].includes(type)) continue;
    const isField = kind === "textarea" || (kind === "input" && !NO_FIELDS.includes(type));
    const isChoice = kind === "select" || SWITCHES.includes(type);
    const label = one.labels && one.labels[0] ? one.labels[0].innerText.trim() : "";
    const said = isField || isChoice ? label || one.placeholder || one.getAttribute("name") || "" : words(one);
    let line = `click: ${byId(one) || path(one)}`;
    if (isField) line = `type: ${named(one)} = `;
    else if (kind === "select") line = `choose: ${named(one)} = `;
    else if (isChoice) line = `choose: ${named(one)} = yes`;
    else if (!byId(one) && said && said.length <= 60 && isUnique(said, one)) line = `click: text=${said}`;
    const what = isField || kind === "select" ? "field" : kind === "a" ? "link" : "button";
    const [left, top] = [Math.max(0, box.left), Math.max(0, box.top)];
    found.push({
      x: Math.round(left),
      y: Math.round(top),
      width: Math.round(Math.min(box.right, width) - left),
      height: Math.round(Math.min(box.bottom, height) - top),
      name: `${what} ${type === "password" ? "password " : ""}${said}`.trim().replace(/\s+/g, " ").slice(0, 80),
      line: line.slice(0, 400),
    });
    if (found.length >= most) break;
  }
  return found;
}
