// Charts as SVG: lines over numbers that grow.

import { svg } from "./board.js";
import { make } from "./dom.js";

// The picture, and the field of the lines in it.
const WIDE = 440;
const HIGH = 220;
const FIELD = { left: 46, right: WIDE - 12, top: 8, bottom: HIGH - 36 };

// At most `most` round numbers from `low` to `high`.
function ticks(low, high, most, isWhole) {
  const rough = Math.max((high - low) / most, Number.MIN_VALUE);
  const power = 10 ** Math.floor(Math.log10(rough));
  let step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
  if (isWhole) step = Math.max(1, step);
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at += 1) found.push(at * step || 0);  // never -0
  return found;
}

const percent = (value) => `${(100 * value).toFixed(1)} %`;
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 4, notation: "compact" });

// How a line is drawn: its colour, and its dashes, of which there are as many as runs.css has.
const PATTERNS = 8;
const look = (line) => `line-${line.color % 8} dashes-${(line.pattern ?? Number(line.is_dashed)) % PATTERNS}`;

// Lines over numbers, for values that grow: `show` a ChartShown of the API as often as there is one.
// The legend has the newest values, or those where the pointer is; lines of one `group` stand
// together there, below its name.
export class LineChart {
  constructor() {
    this.caption = make("figcaption");
    this.legend = make("ul", { class: "legend" });
    this.picture = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img" });
    this.element = make("figure", { class: "chart lines" }, this.caption, this.picture, this.legend);
    this.picture.addEventListener("pointermove", (event) => this.#look(event));
    this.picture.addEventListener("pointerleave", () => this.#look(null));
    this.pointed = null;
  }

  show(chart) {
    this.chart = chart;
    this.caption.replaceChildren(make("b", {}, chart.title), ` ${chart.note}`);
    const known = chart.lines.flatMap((line) => [...line.values, ...(line.low ?? []), ...(line.high ?? [])]).filter((value) => value !== null);
    let [low, high] = chart.is_share ? [0, 1] : [Math.min(...known), Math.max(...known)];
    if (!known.length && !chart.is_share) [low, high] = [0, 1];
    if (chart.from_zero) low = Math.min(0, low);
    if (high <= low) [low, high] = [low - 0.5, high + 0.5];
    const [first, last] = [chart.x[0] ?? 0, chart.x.at(-1) ?? 1];
    const margin = chart.is_share ? 0.02 : 0.04 * (high - low);
    this.x = (value) => (last === first ? (FIELD.left + FIELD.right) / 2
      : FIELD.left + ((value - first) / (last - first)) * (FIELD.right - FIELD.left));
    const y = (value) => FIELD.bottom - ((value - low + margin) / (high - low + 2 * margin)) * (FIELD.bottom - FIELD.top);
    const text = (x, at, content, anchor) => svg("text", { x, y: at, "text-anchor": anchor }, content);
    const grid = svg("g", { class: "grid" });
    const labels = svg("g", { class: "labels" });
    for (const value of ticks(low, high, 5, false)) {
      grid.append(svg("path", { d: `M${FIELD.left} ${y(value)}H${FIELD.right}` }));
      labels.append(text(FIELD.left - 6, y(value) + 4, chart.is_share ? `${Math.round(100 * value)} %` : short.format(value), "end"));
    }
    const isWhole = chart.x.every((value) => Number.isInteger(value));
    for (const value of last === first ? [first] : ticks(first, last, 7, isWhole)) {
      labels.append(text(this.x(value), FIELD.bottom + 16, short.format(value), "middle"));
    }
    labels.append(text((FIELD.left + FIELD.right) / 2, HIGH - 4, chart.x_title, "middle"));
    this.mark = svg("path", { class: "pointed" });
    const lines = chart.lines.map((line) => {
      let [path, isDrawn, marks] = ["", false, []];
      line.values.forEach((value, place) => {
        if (value === null) {
          isDrawn = false;
          return;
        }
        path += `${isDrawn ? "L" : "M"}${this.x(chart.x[place]).toFixed(1)} ${y(value).toFixed(1)}`;
        isDrawn = true;
      });
      // Around a mean, from the lowest to the highest.
      const inBand = line.low ? chart.x.map((_, place) => place).filter((place) => line.low[place] !== null && line.high[place] !== null) : [];
      const edge = (values, places) => places.map((place) => `${this.x(chart.x[place]).toFixed(1)} ${y(values[place]).toFixed(1)}`).join("L");
      const band = inBand.length ? [svg("path", { class: "band", d: `M${edge(line.high, inBand)}L${edge(line.low, [...inBand].reverse())}Z` })] : [];
      const end = line.values.findLastIndex((value) => value !== null);
      if (end >= 0) marks = [svg("circle", { cx: this.x(chart.x[end]), cy: y(line.values[end]), r: 3 })];
      return svg("g", { class: look(line) }, ...band, svg("path", { d: path }), ...marks);
    });
    this.picture.replaceChildren(grid, labels, this.mark, ...lines);
    this.#say();
  }

  #look(event) {
    if (event === null) {
      this.pointed = null;
    } else {
      const box = this.picture.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * WIDE;
      const far = this.chart.x.map((value) => Math.abs(this.x(value) - at));
      const place = far.indexOf(Math.min(...far));
      this.pointed = place === -1 ? null : this.chart.x[place];
    }
    this.#say();
  }

  // Say the values where the pointer is, or the newest.
  #say() {
    const { chart } = this;
    const place = this.pointed === null ? -1 : chart.x.indexOf(this.pointed);
    this.mark.setAttribute("d", place < 0 ? "" : `M${this.x(this.pointed)} ${FIELD.top}V${FIELD.bottom}`);
    const said = chart.lines.map((line) => {
      const at = place < 0 ? line.values.findLastIndex((one) => one !== null) : place;
      const text = (value) => (value === null || value === undefined ? "–" : chart.is_share ? percent(value) : short.format(value));
      const band = line.low && (line.low[at] ?? null) !== null ? ` (${text(line.low[at])} to ${text(line.high[at])})` : "";
      return [line, `${text(line.values[at])}${band}`];
    });
    const sample = (line) => svg("svg", { viewBox: "0 0 36 8", class: "sample", "aria-hidden": "true" },
      svg("g", { class: look(line) }, svg("path", { d: "M1 4H35" })));
    const groups = [...new Set(said.map(([line]) => line.group ?? ""))];
    this.legend.replaceChildren(...groups.flatMap((group) => [
      ...(group ? [make("li", { class: "group" }, group)] : []),
      ...said.filter(([line]) => (line.group ?? "") === group)
        .map(([line, worth]) => make("li", {}, sample(line), `${line.name} `, make("b", {}, worth)))]));
    const where = place < 0 ? "newest values" : `at ${chart.x_title} ${this.pointed}`;
    const whole = (line) => `${line.group ? `${line.group}: ` : ""}${line.name}`;
    this.picture.setAttribute("aria-label", `${chart.title}, ${where}: ${said.map(([line, worth]) => `${whole(line)} ${worth}`).join(", ")}`);
  }
}
