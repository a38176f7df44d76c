// Comparing: two runs side by side, or groups of runs over seeds, and the pages that tournaments, experiments and studies wrote.

import { get } from "./api.js";
import { LineChart } from "./charts.js";
import { again, make, renew, table } from "./dom.js";
import { trying } from "./messages.js";
import { moment, percent } from "./words.js";

const place = document.getElementById("view-compare");
// Of the first and of the second run, blue and orange, which nobody takes for one another; dashes tell
// the lines of a run apart.
const COLORS = [2, 1];
const SECONDS = 3;

let end = () => {};

export function leave() {
  end();
  end = () => {};
}

export function show(hash) {
  leave();
  const page = /^#compare-page=(.+)$/s.exec(hash)?.[1];
  if (page) showPage(decodeURIComponent(page));
  else showAll(hash);
}

function showAll(hash) {
  const asked = (/^#compare=(.+)$/s.exec(hash)?.[1] ?? "").split(",").map(decodeURIComponent);
  const both = make("section", { class: "both" });
  const pages = make("section");
  place.replaceChildren(make("h2", {}, "Two runs side by side"), both, make("h2", {}, "Tournaments, experiments, studies"), pages);
  trying(async () => showBoth(both, asked));
  const list = make("div");
  pages.append(list);
  end = again(() => trying(async () => {
    // What changes every few seconds is on the page itself: the list stays as it is under a finger.
    const found = (await get("/api/reports")).reports.map(({ path, title, written, state, goes_on: goesOn }) => ({ path, title, written: moment(written), state: goesOn ? "" : state, goesOn }));
    renew(list, found, reports);
  }), SECONDS);
}

// One page in a frame, which is read again whenever the file is written anew.
function showPage(path) {
  const frame = make("iframe", { class: "page", title: path });
  const state = make("p", { role: "status" });
  place.replaceChildren(
    make("div", { class: "head" }, make("h2", {}, path), make("a", { class: "button", href: "#compare" }, "All pages")), state, frame);
  let before = "";
  end = again(() => trying(async () => {
    const one = (await get("/api/reports")).reports.find((page) => page.path === path);
    if (one && one.written !== before) {
      before = one.written;
      frame.src = address(path);
    }
    const text = one ? one.state || "It has ended." : "There is no such page below the folder of runs yet.";
    if (state.textContent !== text) state.textContent = text;
  }), SECONDS);
}

const inAddress = (path) => path.split("/").map(encodeURIComponent).join("/");
const address = (path) => `/reports/${inAddress(path)}`;

async function showBoth(box, asked) {
  const { groups, runs } = await get("/api/sides");
  if (runs.length < 2) {
    box.replaceChildren(make("p", {}, "There are not two runs yet."));
    return;
  }
  const names = [...groups, ...runs].map((one) => one.name);
  const usual = groups.length > 1 ? groups : runs;
  const group = (label, all) => (all.length ? [make("optgroup", { label }, ...all.map((one) => new Option(one.title, one.name)))] : []);
  const selects = [0, 1].map((side) => {
    const select = make("select", {}, ...group("Means over seeds", groups), ...group("Runs", runs));
    select.value = names.includes(asked[side]) ? asked[side] : usual[side].name;
    select.addEventListener("change", () => {
      location.hash = `#compare=${selects.map((one) => encodeURIComponent(one.value)).join(",")}`;
    });
    return select;
  });
  const shown = make("div");
  box.replaceChildren(
    make("div", { class: "sides" }, ...selects.map((select, side) => make("label", {},
      make("span", {}, make("span", { class: `swatch line-${COLORS[side]}`, "aria-hidden": "true" }), side ? "Second, orange" : "First, blue"), select))), shown);
  const [first, second] = selects.map((select) => encodeURIComponent(select.value));
  shown.replaceChildren(...sideBySide(await get(`/api/comparison?first=${first}&second=${second}`)));
}

function sideBySide({ sides, differ, same, scores, note }) {
  const titles = sides.map((one) => one.title);
  const folded = (title, ...content) => make("details", {}, make("summary", {}, title), ...content);
  const keys = (found) => table(["key", "value"], found.map((one) => [make("code", {}, one.path), one.value]), "Keys that are the same in both");
  return [
    make("h3", {}, "What differs"), differing(differ, titles),
    folded(`The same in both: ${same.length} key${same.length === 1 ? "" : "s"}`, make("div", { class: "scroll wide", tabindex: "0" }, keys(same))),
    ...fresh(sides, titles), ...matches(sides, titles, scores, note), ...facts(sides, titles), ...others(sides, titles, folded),
  ];
}

function differing(differ, titles) {
  if (!differ.length) return make("p", {}, "No key of their configs differs.");
  const value = (text) => text ?? make("i", {}, "not there");
  const found = table(["key", ...titles], differ.map((one) => [make("code", {}, one.path), value(one.first), value(one.second)]), "Keys of config.toml that differ");
  found.classList.add("differ");
  return found;
}

function fresh(sides, titles) {
  const missing = sides.filter((one) => one.fresh === null);
  if (missing.length) return [make("p", { class: "note" }, `No games on fresh openings yet: ${missing.map((one) => one.title).join(" and ")}. Only evolution plays such games.`)];
  const [first, second] = sides.map((one) => one.fresh);
  // What a band is stands in the note of the side that has one.
  const note = [first.note, second.note].sort((one, other) => other.length - one.length)[0];
  const chart = joined(first, second, titles);
  // One line of each: they differ by more than colour.
  const lines = chart.lines.map((line, side) => ({ ...line, pattern: side }));
  return [make("div", { class: "one-chart" }, drawn({ ...chart, lines, note }))];
}

function drawn(chart) {
  const one = new LineChart();
  one.show(chart);
  return one.element;
}

function matches(sides, titles, scores, note) {
  const opponents = [...new Set(sides.flatMap((one) => one.matches.map((match) => match.opponent)))];
  const rows = opponents.map((opponent) => [opponent, ...sides.map((one) => score(one.matches.find((match) => match.opponent === opponent))),
    by(scores.find((one) => one.opponent === opponent))]);
  if (!rows.length) return [];
  return [make("h3", {}, "Test matches"), table(["opponent", ...titles, "second more by, in points of 100 games"], rows, "Test matches of both champions"), ...(note ? [make("p", { class: "note" }, note)] : [])];
}

// In points of 100 games, as in the terminal.
function by(found) {
  const points = (value) => `${value < 0 ? "\u2212" : "+"}${Math.abs(100 * value).toFixed(1)}`;
  if (!found) return "";
  return found.interval === null ? points(found.difference) : `${points(found.difference)} (${points(found.interval[0])} to ${points(found.interval[1])})`;
}

function facts(sides, titles) {
  const labels = [...new Set(sides.flatMap((one) => one.facts.map(([label]) => label)))];
  const rows = labels.map((label) => [label, ...sides.map((one) => one.facts.find(([name]) => name === label)?.[1] ?? "")]);
  return [make("h3", {}, "How they are"), table(["", ...titles], rows, "Facts of both")];
}

function others([first, second], titles, folded) {
  const charts = first.charts.flatMap((one) => {
    const other = second.charts.find((chart) => chart.title === one.title && chart.x_title === one.x_title);
    return other ? [drawn(joined(one, other, titles))] : [];
  });
  return charts.length ? [folded("The other charts", make("div", { class: "charts" }, ...charts))] : [];
}

function score(match) {
  if (!match) return "";
  return match.interval === null ? percent(match.score) : `${percent(match.score)} (${percent(match.interval[0])} to ${percent(match.interval[1])})`;
}

// Both charts in one, over the numbers of both; between two of its own a line is straight anyway.
// Lines of one name have the same dashes in both runs.
function joined(one, other, names) {
  const x = [...new Set([...one.x, ...other.x])].sort((a, b) => a - b);
  const kinds = [...new Set([one, other].flatMap((chart) => chart.lines.map((line) => line.name)))];
  const lines = [one, other].flatMap((chart, side) => chart.lines.map((line) => {
    const onAll = (values) => (values ? over(x, chart.x, values) : null);
    return { ...line, group: names[side], color: COLORS[side], pattern: kinds.indexOf(line.name),
      values: onAll(line.values), low: onAll(line.low), high: onAll(line.high) };
  }));
  return { ...one, x, lines, from_zero: one.from_zero || other.from_zero };
}

function over(x, own, values) {
  const at = new Map(own.map((value, index) => [value, index]));
  let next = 0;
  return x.map((value) => {
    const index = at.get(value);
    if (index !== undefined) return values[index];
    while (next < own.length && own[next] < value) next += 1;
    const [before, after] = [values[next - 1], values[next]];
    if (next === 0 || next === own.length || before === null || after === null) return null;
    return before + ((after - before) * (value - own[next - 1])) / (own[next] - own[next - 1]);
  });
}

function reports(found) {
  if (!found.length) {
    return [make("p", {}, "There are none below the folder of runs yet. ", make("code", {}, "evoply tournament swh greedy random --html runs/standings.html"), " writes one.")];
  }
  const link = (one) => make("a", { href: address(one.path), target: "_blank", rel: "noopener" }, one.title);
  const watch = (one) => (one.goesOn ? make("a", { href: `#compare-page=${inAddress(one.path)}` }, "still going on: watch") : one.state || "ended");
  const rows = found.map((one) => [link(one), watch(one), one.path, one.written]);
  return [table(["page", "state", "file", "written"], rows, "Pages, the newest first")];
}
