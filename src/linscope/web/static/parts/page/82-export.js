/**
 * Files to take away: the ledger, the pictures, the Python code, the score.
 */

const PAINTED = ["fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity",
  "stroke-linecap", "stroke-linejoin", "opacity", "font-family", "font-size", "font-weight", "font-style", "text-anchor", "visibility"];

/** A copy of the picture that carries its own look, readable by any drawing program. */
function standalone(picture) {
  const twin = picture.cloneNode(true);
  const unseen = twin.querySelectorAll(".reach");
  const [originals, copies] = [[picture, ...picture.querySelectorAll("*")], [twin, ...twin.querySelectorAll("*")]];
  originals.forEach((original, k) => {
    const look = getComputedStyle(original);
    for (const name of PAINTED) copies[k].setAttribute(name, look.getPropertyValue(name));
    for (const name of ["class", "data-testid", "tabindex", "role", "data-index"]) copies[k].removeAttribute(name);
  });
  const [width, height] = [picture.clientWidth, picture.clientHeight];
  set(twin, { xmlns: SVG, width, height });
  const ground = getComputedStyle(picture.closest(".card") || picture).backgroundColor;
  twin.insertBefore(svg("rect", { width, height, fill: ground }), twin.firstChild);
  for (const node of unseen) node.remove();
  return new XMLSerializer().serializeToString(twin);
}

/** The picture in three times its size on the screen. */
function toPng(picture) {
  const scale = 3;
  const [width, height] = [picture.clientWidth, picture.clientHeight];
  const address = URL.createObjectURL(new Blob([standalone(picture)], { type: "image/svg+xml" }));
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => {
      const canvas = html("canvas", { width: width * scale, height: height * scale });
      canvas.getContext("2d").drawImage(image, 0, 0, width * scale, height * scale);
      URL.revokeObjectURL(address);
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The browser drew no PNG."))));
    };
    image.onerror = () => reject(new Error("The browser drew no PNG."));
    image.src = address;
  });
}

/** The pictures on the screen that can be taken away. */
function picturesNow(app) {
  if (app.view === "everyone") return [];
  const second = app.views[app.tab];
  const named = [["input-space", "Input space", app.input.picture]];
  if (second.picture && !second.missing()) named.push([second.picture.dataset.testid, TABS.find((tab) => tab.id === app.tab).title, second.picture]);
  return named;
}

function makeExportMenu(app) {
  const panel = html("div", { class: "menu-panel" });
  const menu = html("details", { class: "menu", "data-testid": "export" }, html("summary", { class: "button", text: "Export" }), panel);
  const item = (title, test, act) => button(title, async () => {
    menu.open = false;
    try { await act(); } catch (error) { complain(app, error.message); }
  }, { class: "item", "data-testid": `export-${test}` });
  menu.addEventListener("toggle", () => {
    if (!menu.open || !app.run) return;
    const ledger = async () => app.run.exports || app.ask("ledger", { ...app.run.spec, start: windowNow(app).first + 1 });
    panel.replaceChildren(
      html("p", { class: "menu-head", text: "Ledger" }),
      item("CSV", "csv", async () => download("ledger.csv", (await ledger()).csv, "text/csv")),
      item("Markdown", "markdown", async () => download("ledger.md", (await ledger()).markdown, "text/markdown")),
      item("LaTeX", "latex", async () => download("ledger.tex", (await ledger()).latex, "text/x-tex")),
      ...picturesNow(app).flatMap(([name, title, picture]) => [
        html("p", { class: "menu-head", text: title }),
        item("SVG", `${name}-svg`, () => download(`${name}.svg`, standalone(picture), "image/svg+xml")),
        item("PNG", `${name}-png`, async () => download(`${name}.png`, await toPng(picture), "image/png")),
      ]),
      html("p", { class: "menu-head", text: "Run" }),
      item("Python", "python", () => download("run.py", app.run.python, "text/x-python")),
      app.score?.length ? item("Quiz score (JSON)", "score", () => exportScore(app)) : "",
    );
  });
  closeOutside(app, menu);
  return menu;
}

/** A menu closes by Escape, or when the pointer or the focus goes elsewhere. */
function closeOutside(app, menu) {
  menu.addEventListener("focusout", (event) => { if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false; });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.firstChild.focus();
    event.stopPropagation();
  });
  app.root.addEventListener("pointerdown", (event) => { if (!menu.contains(event.target)) menu.open = false; });
}
