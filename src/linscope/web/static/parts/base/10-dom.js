/**
 * Small tools for elements. All text goes in by textContent, so names from a user's file stay text.
 *
 * The files of these folders are joined in the order of their numbers into one ES module:
 * they share one scope, need no build step, and run alike in a page, a notebook and a one-file hand-out.
 */

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element. Keys with "on" are listeners, "text" is its text, other keys are attributes. */
function html(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

/** An SVG element, furnished like `html`. */
function svg(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG, tag), attributes, children);
}

function furnish(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "text") node.textContent = value;
    else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat()) if (child) node.append(child);
  return node;
}

/** Sets attributes, touching only those that differ: an unchanged picture costs no layout. */
function set(node, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) {
      if (node.hasAttribute(key)) node.removeAttribute(key);
    } else {
      const text = value === true ? "" : String(value);
      if (node.getAttribute(key) !== text) node.setAttribute(key, text);
    }
  }
  return node;
}

/** Sets the text if it differs. */
function write(node, text) {
  const value = text ?? "";
  if (node.textContent !== value) node.textContent = value;
  return node;
}

/** Exactly `count` children of the group, made by `make` where some are missing. */
function pool(group, count, make) {
  while (group.childNodes.length > count) group.lastChild.remove();
  while (group.childNodes.length < count) group.append(make(group.childNodes.length));
  return group.childNodes;
}

/** Shows or hides without a change of layout elsewhere. */
function show(node, visible) {
  node.toggleAttribute("hidden", !visible);
  return node;
}

/** A number in four digits, with the true minus sign and no −0. */
function number(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "undefined";
  const size = Math.abs(value);
  const text = size !== 0 && (size >= 1e6 || size < 1e-4)
    ? value.toExponential(Math.max(0, digits - 2)).replace("e+", "e")
    : String(Number(value.toPrecision(digits)) + 0);
  return text.replace(/-/g, "−");
}

/** A class name with the true minus sign. */
const signed = (name) => name.replace(/^-(?=\d)/, "−");

/** "1 point", "2 points". */
function count(n, noun) {
  return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
}

/** Hands a file to the person. */
function download(name, content, type) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const address = URL.createObjectURL(blob);
  const link = html("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** Copies text; where the clipboard is closed to the page, selects it in a field instead. */
async function copy(text, field) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (!field) return false;
    field.focus();
    field.select();
    return document.execCommand ? document.execCommand("copy") : false;
  }
}

const ICONS = {
  first: "M6 5v14M19 5l-9 7 9 7z",
  back: "M17 5l-10 7 10 7z",
  play: "M7 4l13 8-13 8z",
  pause: "M7 5h3.5v14H7zM14 5h3.5v14H14z",
  next: "M7 5l10 7-10 7z",
  last: "M18 5v14M5 5l9 7-9 7z",
  undo: "M9 5L4 10l5 5M4 10h10a5.500 5.500 0 0 1 0 11h-4",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  close: "M6 6l12 12M18 6L6 18",
  light: "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM12 1v3M12 20v3M1 12h3M20 12h3M4.2 4.2l2.1 2.1M17.7 17.7l2.1 2.1M4.2 19.8l2.1-2.1M17.7 6.3l2.1-2.1",
  dark: "M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.500 10.500z",
};
const FILLED = new Set(["first", "back", "play", "pause", "next", "last"]);

/** A drawn sign, silent for screen readers. */
function icon(name) {
  return svg("svg", { viewBox: "0 0 24 24", class: FILLED.has(name) ? "icon filled" : "icon", "aria-hidden": "true" },
    svg("path", { d: ICONS[name] }));
}

/** A button with a text or a sign. */
function button(label, onclick, attributes = {}) {
  const { sign, ...rest } = attributes;
  return html("button", { type: "button", onclick, ...(sign ? { "aria-label": label, title: label } : { text: label }), ...rest },
    sign && icon(sign));
}

/** A choice list; `options` are {value, title, disabled, group}. */
function choice(label, options, value, onpick, attributes = {}) {
  const list = html("select", { "aria-label": label, onchange: () => onpick(list.value), ...attributes });
  fillChoice(list, options, value);
  return list;
}

/** Fills a choice list anew, in groups if the options name them. */
function fillChoice(list, options, value) {
  list.replaceChildren();
  let group = null;
  for (const option of options) {
    const item = html("option", { value: option.value, text: option.title, disabled: option.disabled });
    if (option.group && option.group !== group?.label) {
      group = html("optgroup", { label: option.group });
      list.append(group);
    }
    (option.group ? group : list).append(item);
  }
  if (value !== undefined && value !== null) list.value = String(value);
}

/** A dialog over the page with a title and a way out; closed by Escape or a click beside it. */
function sheet(title, attributes = {}, ...children) {
  const close = button("Close", () => dialog.close(), { sign: "close", class: "quiet close" });
  const dialog = html("dialog", { class: "sheet", "aria-label": title, ...attributes },
    html("div", { class: "sheet-head" }, html("h2", { text: title }), close),
    html("div", { class: "sheet-body", tabindex: "0", role: "region", "aria-label": title }, ...children));
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  return dialog;
}
