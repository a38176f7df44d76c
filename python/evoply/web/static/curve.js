// The curve of a whole game as SVG: what each board is worth to Black, with the moves that lost.

import { svg } from "./board.js";

const WIDTH = 330;
const HEIGHT = 150;
const FIELD = { left: 34, right: WIDTH - 6, top: 10, bottom: HEIGHT - 20 };
const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

export const signOf = (grade) => SIGNS[grade] ?? "";

// The scale of a unit: its least and most value, where both sides are equal, and what stands beside it.
function scaleOf(unit, values) {
  if (unit === "points") return { low: 0, high: 1, even: 0.5, ticks: [[1, "1"], [0.5, "½"], [0, "0"]] };
  const most = Math.max(...values.map(Math.abs));
  if (unit !== "discs") return { low: -most || -1, high: most || 1, even: 0, ticks: [] };
  const high = Math.max(8, Math.ceil(most / 4) * 4);
  const half = high / 2;
  return { low: -high, high, even: 0, ticks: [[high, `+${high}`], [half, `+${half}`], [0, "0"], [-half, `−${half}`], [-high, `−${high}`]] };
}

// `moves` are ReviewedMove of the API, `plies` the length of the game, `ply` the board that is
// shown; `chosen(move)` is called for a click near one.
export function valueCurve({ moves, plies, unit, ply, chosen }) {
  const scale = scaleOf(unit, moves.map((one) => one.value));
  const x = (count) => FIELD.left + (count / Math.max(10, plies)) * (FIELD.right - FIELD.left);
  const y = (value) => FIELD.bottom - ((value - scale.low) / (scale.high - scale.low)) * (FIELD.bottom - FIELD.top);
  const even = y(scale.even);
  const text = (left, top, content, anchor) => svg("text", { x: left, y: top, "text-anchor": anchor }, content);
  const labels = svg("g", { class: "labels" });
  for (const [value, content] of scale.ticks) labels.append(text(FIELD.left - 5, y(value) + 4, content, "end"));
  for (let count = plies > 40 ? 20 : 10; count <= plies; count += plies > 40 ? 20 : 10) labels.append(text(x(count), HEIGHT - 5, String(count), "middle"));
  let [line, area, before] = ["", "", null];
  for (const one of moves) {
    // What was not looked at yet leaves a gap.
    const point = `${x(one.ply - 1).toFixed(1)} ${y(one.value).toFixed(1)}`;
    const goesOn = before !== null && before.ply === one.ply - 1;
    line += `${goesOn ? "L" : "M"}${point}`;
    if (goesOn) area += `M${x(before.ply - 1).toFixed(1)} ${even}V${y(before.value).toFixed(1)}L${point}V${even}Z`;
    before = one;
  }
  const marks = moves.filter((one) => one.grade).map((one) => svg("g", { class: `fault ${one.grade}` },
    svg("circle", { cx: x(one.ply - 1), cy: y(one.value), r: one.grade === "inaccuracy" ? 3 : 4.5 }),
    svg("title", {}, `${one.number}. ${one.move}: ${one.grade}, lost ${one.loss_text}`)));
  const worst = moves.filter((one) => one.grade).length;
  const picture = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "curve", role: "img",
    "aria-label": `What each board is worth to Black, over ${plies} moves: from ${moves[0].text} to ${moves.at(-1).text}; ${worst} marked moves, which the list has`,
  },
  svg("path", { d: area, class: "area" }),
  svg("path", { d: `M${FIELD.left} ${even}H${FIELD.right}`, class: "axis" }), labels,
  svg("path", { d: `M${x(ply)} ${FIELD.top}V${FIELD.bottom}`, class: "here" }),
  svg("path", { d: line, class: "worth" }), ...marks);
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * WIDTH;
    const far = (one) => Math.abs(x(one.ply - 1) - at);
    chosen(moves.reduce((best, one) => (far(one) < far(best) ? one : best)));
  });
  return picture;
}
