// The links, buttons and fields in the window, with the step that uses each: see `Box` in core/browsing/visit.py.
([most, width, height]) => {
  const NO_FIELDS = ["submit", "button", "reset", "image", "checkbox", "radio"];
  const SWITCHES = ["checkbox", "radio"];
  const isOnly = (selector) => document.querySelectorAll(selector).length === 1;
  const byId = (one) => (one.id && isOnly("#" + CSS.escape(one.id)) ? "#" + CSS.escape(one.id) : "");
  const words = (one) =>
    (one.innerText || one.value || one.ariaLabel || one.title || "").trim().replace(/\s+/g, " ");

  const path = (one) => {
    const parts = [];
    for (let at = one; at && at !== document.body && parts.length < 6; at = at.parentElement) {
      if (byId(at)) return [byId(at), ...parts].join(" > ");
      const alike = [...at.parentElement.children].filter((other) => other.tagName === at.tagName);
      parts.unshift(`${at.tagName.toLowerCase()}:nth-of-type(${alike.indexOf(at) + 1})`);
    }
    return parts.join(" > ");
  };
  const named = (one) => {
    const name = one.getAttribute("name");
    const byName = name ? `${one.tagName.toLowerCase()}[name='${CSS.escape(name)}']` : "";
    return byId(one) || (byName && isOnly(byName) ? byName : path(one));
  };

  const all = [...document.querySelectorAll("a[href], button, input, select, textarea, [role=button], summary")];
  const isUnique = (said, one) =>
    !all.some((other) => other !== one && words(other).toLowerCase().includes(said.toLowerCase()));
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
