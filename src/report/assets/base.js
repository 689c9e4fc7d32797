// base.js - what all views share. The one way to put anything into the page is as text: nothing here
// or elsewhere turns a string into markup.

const sennit = {views: {}, panels: {}};

// An element: sennit.el("td", {class: "name", onclick: run}, "text", child, ...).
sennit.el = function el(tag, attributes, ...children) {
  return sennit.fill(document.createElement(tag), attributes, children);
};

// The same for drawings.
sennit.svg = function svg(tag, attributes, ...children) {
  return sennit.fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
};

sennit.fill = function fill(node, attributes, children) {
  for (const name in attributes) {
    const value = attributes[name];
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  sennit.add(node, children);
  return node;
};

// Lists within lists are as if written out.
sennit.add = function add(node, children) {
  for (const child of children) {
    if (Array.isArray(child)) add(node, child);
    else if (child instanceof Node) node.appendChild(child);
    else if (child !== undefined && child !== null && child !== false)
      node.appendChild(document.createTextNode(child));
  }
};

// A button that copies a text. Files opened from a disk may be refused the clipboard: then the text is
// selected, so that the usual keys copy it.
sennit.copyButton = function copyButton(text, label = "copy") {
  const button = sennit.el(
    "button",
    {
      class: "link copy",
      type: "button",
      "data-copy": text,
      onclick: async () => {
        let isDone = true;
        try {
          await navigator.clipboard.writeText(text);
        } catch {
          isDone = copyBySelection(text);
        }
        button.textContent = isDone ? "copied" : "cannot copy";
        setTimeout(() => {
          button.textContent = label;
        }, 1500);
      },
    },
    label
  );

  function copyBySelection(what) {
    const area = sennit.el("textarea", {class: "away", "aria-hidden": "true"});
    area.value = what;
    document.body.append(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    return isDone;
  }

  return button;
};
