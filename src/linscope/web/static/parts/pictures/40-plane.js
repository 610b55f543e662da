/**
 * What all pictures of the data plane have in common: regions, lines and points.
 */

/** Decision regions, one path for each. */
function drawRegions(group, map, regions) {
  const paths = pool(group, regions?.length || 0, () => svg("path", { "fill-rule": "evenodd" }));
  (regions || []).forEach((region, k) =>
    set(paths[k], { d: polygonsOf(map, region.polygons), class: `region ${hue(region.code)}` }));
}

/** Boundaries, margins and fitted lines. */
function drawLines(group, map, lines, test = null) {
  const paths = pool(group, lines?.length || 0, () => svg("path"));
  (lines || []).forEach((line, k) => {
    set(paths[k], { d: pathOf(map, line.ends), class: `line ${line.kind}`, "data-testid": test && `${test}-${line.kind}` });
  });
}

/** Names of lines, at the end that lies further up or right inside the picture. */
function drawLineLabels(group, map, lines) {
  const named = (lines || []).filter((line) => line.label && line.ends.length > 1);
  const texts = pool(group, named.length, () => svg("text", { class: "line-label" }));
  named.forEach((line, k) => {
    const ends = [line.ends[0], line.ends[line.ends.length - 1]];
    const [u, v] = ends[0][0] > ends[1][0] ? ends[0] : ends[1];
    const x = Math.max(map.left + 6, Math.min(map.left + map.wide - 6, map.px(u)));
    const y = Math.max(map.top + 14, Math.min(map.top + map.high - 8, map.py(v) - 6));
    const anchor = x > map.left + map.wide / 2 ? "end" : "start";
    write(set(texts[k], { x: pixel(x), y: pixel(y), "text-anchor": anchor }), line.label);
  });
}

/** The size of markers for so many points on so wide a picture. */
function markerSize(many, wide) {
  const size = many <= 30 ? 7 : many <= 80 ? 6 : many <= 200 ? 5 : 4;
  return wide < 300 ? size * 0.75 : size;
}

/** One point: its marker, and a cross with a bright rim that only wrong ones show. */
function makePoint() {
  return svg("g", { class: "point" }, svg("circle", { class: "reach" }), svg("path", { class: "marker" }),
    svg("path", { class: "cross rim" }), svg("path", { class: "cross" }));
}

/** Places and paints all points. `wrong(point, k)` says which get the cross. */
function drawPoints(group, map, points, wrong, size = markerSize(points.length, map.wide)) {
  const nodes = pool(group, points.length, makePoint);
  points.forEach((point, k) => {
    const node = nodes[k];
    const mistaken = wrong(point, k);
    const [reach, marker, rim, cross] = node.childNodes;
    set(node, {
      transform: `translate(${pixel(map.px(point.u))} ${pixel(map.py(point.v))})`,
      class: `point ${hue(point.code)}${mistaken ? " wrong" : ""}`,
      "data-index": k,
    });
    set(reach, { r: Math.max(12, size) });
    set(marker, { d: markerPath(point.code ?? 0, size) });
    const s = size * 1.2;
    const d = mistaken ? `M${-s} ${-s}L${s} ${s}M${s} ${-s}L${-s} ${s}` : null;
    set(rim, { d });
    set(cross, { d });
  });
  return nodes;
}

/** An arrow from a foot in data units along a direction, cut to a length that can be seen. */
function arrowPath(map, [u, v, du, dv]) {
  const [x, y] = [map.px(u), map.py(v)];
  let [dx, dy] = [map.px(u + du) - x, map.py(v + dv) - y];
  const length = Math.hypot(dx, dy);
  if (!(length > 0)) return "";
  const shown = Math.max(26, Math.min(64, length));
  [dx, dy] = [(dx / length) * shown, (dy / length) * shown];
  const [ex, ey] = [x + dx, y + dy];
  const head = (turn) => {
    const angle = Math.atan2(dy, dx) + turn;
    return `M${pixel(ex)} ${pixel(ey)}L${pixel(ex - 9 * Math.cos(angle))} ${pixel(ey - 9 * Math.sin(angle))}`;
  };
  return `M${pixel(x)} ${pixel(y)}L${pixel(ex)} ${pixel(ey)}${head(0.45)}${head(-0.45)}`;
}
