// Charts as SVG. Black's bars go up and White's down, so that they differ by more than colour.

import { svg } from "./board.js";

const WIDTH = 320;
const HEIGHT = 120;

// What each move lost: `losses` are {ply, color, loss, isMarked, text}, `chosen(ply)` is called for
// a bar that is clicked.
export function lossChart(losses, chosen) {
  const last = Math.max(10, ...losses.map((one) => one.ply));
  const most = Math.max(1e-9, ...losses.map((one) => one.loss));
  const step = (WIDTH - 10) / last;
  const middle = HEIGHT / 2;
  const bars = losses.filter((one) => one.loss > 0).map((one) => {
    const height = Math.max(2, (one.loss / most) * (middle - 14));
    const x = 5 + (one.ply - 1) * step;
    const y = one.color === "black" ? middle - height : middle;
    const bar = svg("g", { class: one.isMarked ? "bar marked" : "bar" },
      svg("title", {}, one.text),
      svg("rect", { x, y, width: Math.max(1.5, step - 1), height, class: one.color }));
    if (one.isMarked) {
      const textY = one.color === "black" ? y - 3 : y + height + 11;
      bar.append(svg("text", { x: x + step / 2, y: textY, "text-anchor": "middle", "font-size": 11 }, "?"));
    }
    bar.addEventListener("click", () => chosen(one.ply));
    return bar;
  });
  return svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "losses", role: "img",
    "aria-label": "What each move lost: Black above the line, White below; the list has the worst",
  }, svg("path", { d: `M5 ${middle}H${WIDTH - 5}`, class: "axis" }), ...bars);
}
