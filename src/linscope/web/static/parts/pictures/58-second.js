/**
 * The second picture: weight space, loss surface, bound or curves, chosen by tabs, all under one cursor.
 */

const TABS = [
  { id: "weights", title: "Weight space", long: " space" },
  { id: "loss", title: "Loss surface", long: " surface" },
  { id: "bound", title: "Bound" },
  { id: "curves", title: "Curves" },
  { id: "points", title: "Points" },
];

function makeSecond(app) {
  const views = { weights: makeWeights(app), loss: makeLoss(app), bound: makeBound(app), curves: makeCurves(app), points: makePoints(app) };
  const why = html("p", { class: "why", "data-testid": "why" });
  const tabs = TABS.map((tab) => makeTab(app, tab));
  const bar = html("div", { class: "tabs", role: "tablist", "aria-label": "Second picture" }, tabs);
  bar.addEventListener("keydown", (event) => walkTabs(app, tabs, event));
  const stage = html("div", { class: "stage", role: "tabpanel" }, why, Object.values(views).map((view) => view.box));
  const box = html("section", { class: "card second", "aria-label": "Second picture" },
    html("div", { class: "card-head" }, bar), stage);

  const draw = () => {
    if (!app.run || app.view !== "one") return;
    if (!app.tabPicked && views[app.tab].missing()) app.tab = TABS.find(({ id }) => !views[id].missing()).id;
    for (const tab of tabs) {
      const chosen = tab.dataset.tab === app.tab;
      set(tab, { "aria-selected": chosen ? "true" : "false", tabindex: chosen ? "0" : "-1",
        class: views[tab.dataset.tab].missing() ? "void" : null });
    }
    const view = views[app.tab];
    const missing = view.missing();
    for (const other of Object.values(views)) show(other.box, other === view && !missing);
    write(show(why, Boolean(missing)), missing);
    showLossChoice(app, views.loss.pick);
    if (!missing) view.draw();
  };
  app.on("step look size select edit", draw);
  app.views = views;
  return { box, draw };
}

/** A tab; on a phone the end of its title goes. */
function makeTab(app, { id, title, long = "" }) {
  const tab = button("", () => pickTab(app, id), { role: "tab", "data-tab": id, "data-testid": `tab-${id}`, "aria-label": title });
  tab.replaceChildren(title.slice(0, title.length - long.length), html("span", { class: "long", text: long }));
  return tab;
}

function showLossChoice(app, pick) {
  const choices = app.run.loss?.choices || [];
  show(pick, choices.length > 1 && app.editable);
  const wanted = choices.map((one) => one.id).join();
  if (pick.dataset.ids !== wanted) {
    pick.dataset.ids = wanted;
    fillChoice(pick, choices.map((one) => ({ value: one.id, title: one.title })), app.run.loss?.name);
  } else pick.value = app.run.loss?.name ?? "";
}

/** A picture that is asked for by hand is shown even if all it can say is why it does not exist. */
function pickTab(app, id) {
  app.tab = id;
  app.tabPicked = true;
  app.emit("look");
}

/** Arrow keys go from tab to tab, as readers of a tab list expect. */
function walkTabs(app, tabs, event) {
  const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!way) return;
  event.preventDefault();
  event.stopPropagation();
  const at = tabs.findIndex((tab) => tab.dataset.tab === app.tab);
  const next = tabs[(at + way + tabs.length) % tabs.length];
  pickTab(app, next.dataset.tab);
  next.focus();
}
