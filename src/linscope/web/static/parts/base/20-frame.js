/**
 * From data units to pixels: a frame holds a box of the data plane, its axes and ticks.
 * This is all the arithmetic the page does.
 */

const CLASS_NAMES = 3;
const SQUARE = 1.8; // as Python has it: a box that is longer gets two scales
const EDGE = { left: 50, right: 12, top: 12, bottom: 40 };

/** Round numbers in [low, high], about `wanted` of them. */
function ticks(low, high, wanted = 5) {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low];
  const step = niceStep((span / wanted) * 0.7);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + span * 1e-9; k++) found.push(k * step);
  return found;
}

/** The next of 1, 2, 5 times a power of ten. */
function niceStep(raw) {
  const power = 10 ** Math.floor(Math.log10(raw));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= raw * 0.999);
}

/** The value on the grid of round numbers of this step, without the dust of binary fractions. */
function snap(value, step) {
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return Number((Math.round(value / step) * step).toFixed(Math.min(20, digits))) + 0;
}

/** The box as a picture of this size shows it: `px`, `py` to pixels and `u`, `v` back. */
function mapping(box, width, height, edge = EDGE, equal = true) {
  const [u0, u1, v0, v1] = box;
  let wide = Math.max(10, width - edge.left - edge.right);
  let high = Math.max(10, height - edge.top - edge.bottom);
  let left = edge.left;
  let top = edge.top;
  const ratio = (u1 - u0) / (v1 - v0);
  if (equal && ratio > 1 / SQUARE && ratio < SQUARE) {
    const scale = Math.min(wide / (u1 - u0), high / (v1 - v0));
    left += (wide - scale * (u1 - u0)) / 2;
    top += (high - scale * (v1 - v0)) / 2;
    wide = scale * (u1 - u0);
    high = scale * (v1 - v0);
  }
  return {
    box, left, top, wide, high,
    px: (u) => left + ((u - u0) / (u1 - u0)) * wide,
    py: (v) => top + ((v1 - v) / (v1 - v0)) * high,
    u: (x) => u0 + ((x - left) / wide) * (u1 - u0),
    v: (y) => v1 - ((y - top) / high) * (v1 - v0),
  };
}

const pixel = (value) => Math.max(-1e5, Math.min(1e5, value)).toFixed(1);

/** The path of several vertices in data units. */
function pathOf(map, vertices, closed = false) {
  if (!vertices || vertices.length === 0) return "";
  let d = "";
  for (let k = 0; k < vertices.length; k++) {
    const [u, v] = vertices[k];
    d += `${k ? "L" : "M"}${pixel(map.px(u))} ${pixel(map.py(v))}`;
  }
  return closed ? `${d}Z` : d;
}

const polygonsOf = (map, polygons) => polygons.map((ring) => pathOf(map, ring, true)).join("");

let frames = 0;

/** A picture with axes. `layers` are the names of groups inside the clipped field, lowest first. */
function frame(name, label, layers) {
  const id = `linscope-clip-${frames++}`;
  const clip = svg("rect");
  const ground = svg("rect", { class: "ground" });
  const grid = svg("g", { class: "grid" });
  const field = svg("g", { "clip-path": `url(#${id})` });
  const texts = svg("g", { class: "ticks" });
  const across = svg("text", { class: "axis", "text-anchor": "middle" });
  const up = svg("text", { class: "axis", "text-anchor": "middle" });
  const border = svg("rect", { class: "border" });
  const over = svg("g", { class: "over" });
  const groups = Object.fromEntries(layers.map((layer) => [layer, svg("g", { class: layer })]));
  field.append(...Object.values(groups));
  const picture = svg("svg", { class: "picture", "data-testid": name, role: "group", "aria-label": label },
    svg("defs", {}, svg("clipPath", { id }, clip)), ground, grid, field, border, texts, across, up, over);
  return { picture, groups, over, clip, ground, grid, texts, across, up, border, map: null, size: [0, 0] };
}

/** Places axes, ticks and names for this box; returns the mapping. */
function layFrame(self, box, names, { equal = true, edge = EDGE, ticksUp = true } = {}) {
  const width = self.picture.clientWidth || self.size[0] || 480;
  const height = self.picture.clientHeight || self.size[1] || 420;
  self.size = [width, height];
  set(self.picture, { viewBox: `0 0 ${width} ${height}` });
  const map = mapping(box, width, height, edge, equal);
  const rect = { x: pixel(map.left), y: pixel(map.top), width: pixel(map.wide), height: pixel(map.high) };
  for (const node of [self.clip, self.ground, self.border]) set(node, rect);
  const columns = ticks(box[0], box[1], Math.max(2, Math.min(7, map.wide / 70)));
  const rows = ticksUp ? ticks(box[2], box[3], Math.max(2, Math.min(7, map.high / 60))) : [];
  const lines = pool(self.grid, columns.length + rows.length, () => svg("line"));
  const texts = pool(self.texts, columns.length + rows.length, () => svg("text"));
  columns.forEach((value, k) => {
    const x = pixel(map.px(value));
    set(lines[k], { x1: x, x2: x, y1: rect.y, y2: pixel(map.top + map.high), class: value === 0 ? "zero" : null });
    write(set(texts[k], { x, y: pixel(map.top + map.high + 16), "text-anchor": "middle" }), number(value));
  });
  rows.forEach((value, k) => {
    const y = pixel(map.py(value));
    const at = columns.length + k;
    set(lines[at], { x1: rect.x, x2: pixel(map.left + map.wide), y1: y, y2: y, class: value === 0 ? "zero" : null });
    write(set(texts[at], { x: pixel(map.left - 7), y: pixel(map.py(value) + 4), "text-anchor": "end" }), number(value));
  });
  write(set(self.across, { x: pixel(map.left + map.wide / 2), y: pixel(map.top + map.high + 33) }), names[0]);
  const widest = Math.max(0, ...rows.map((value) => number(value).length)) * 6.8;
  const [x, y] = [Math.max(10, map.left - 16 - widest), map.top + map.high / 2];
  write(set(self.up, { x: pixel(x), y: pixel(y), transform: `rotate(-90 ${pixel(x)} ${pixel(y)})` }), names[1]);
  self.map = map;
  return map;
}

/** The shape of a class round (0, 0): circle, square, triangle, then diamond. */
function markerPath(code, size) {
  const r = size;
  if (code === 0) return `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  if (code === 1) { const s = r * 0.9; return `M${-s} ${-s}H${s}V${s}H${-s}Z`; }
  if (code === 2) { const s = r * 1.2; return `M0 ${-s}L${s} ${s * 0.8}L${-s} ${s * 0.8}Z`; }
  const s = r * 1.25;
  return `M0 ${-s}L${s} 0L0 ${s}L${-s} 0Z`;
}

/** Class names of a colour in the style sheet. */
const hue = (code) => (code === null || code === undefined ? "plain" : `class-${code % CLASS_NAMES}`);
