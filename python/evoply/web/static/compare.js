// Comparing: two runs side by side, and the pages that tournaments, experiments and studies wrote.

import { get } from "./api.js";
import { LineChart } from "./charts.js";
import { again, make, renew, table } from "./dom.js";
import { trying } from "./messages.js";
import { percent } from "./words.js";

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
    const found = (await get("/api/reports")).reports.map(({ path, title, written, state }) => ({ path, title, written: moment(written), goesOn: state !== "" }));
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

const moment = (text) => new Date(text).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
const inAddress = (path) => path.split("/").map(encodeURIComponent).join("/");
const address = (path) => `/reports/${inAddress(path)}`;

async function showBoth(box, asked) {
  const runs = (await get("/api/runs")).runs.filter((run) => run.trouble === null);
  if (runs.length < 2) {
    box.replaceChildren(make("p", {}, "There are not two runs yet."));
    return;
  }
  const names = runs.map((run) => run.name);
  const selects = [0, 1].map((side) => {
    const select = make("select", {}, ...names.map((name) => new Option(name, name)));
    select.value = names.includes(asked[side]) ? asked[side] : names[side];
    select.addEventListener("change", () => {
      location.hash = `#compare=${selects.map((one) => encodeURIComponent(one.value)).join(",")}`;
    });
    return select;
  });
  const shown = make("div");
  box.replaceChildren(
    make("div", { class: "tools" }, ...selects.map((select, side) => make("label", {},
      make("span", { class: `swatch line-${COLORS[side]}`, "aria-hidden": "true" }), side ? "Second, orange " : "First, blue ", select))), shown);
  const chosen = await Promise.all(selects.map((select) => get(`/api/runs/${select.value.split("/").map(encodeURIComponent).join("/")}`)));
  shown.replaceChildren(...sideBySide(chosen, chosen.map((run) => run.name)));
}

function sideBySide(runs, names) {
  const [first, second] = runs;
  const labels = [...new Set(runs.flatMap((run) => run.facts.map(([label]) => label)))];
  const rows = [["game", ...runs.map((run) => run.game_title)], ["status", ...runs.map((run) => run.status_in_words)],
    ...labels.map((label) => [label, ...runs.map((run) => run.facts.find(([one]) => one === label)?.[1] ?? "")])];
  const facts = table(["", ...names], rows, "Facts of both runs");
  const charts = first.charts.flatMap((one) => {
    const other = second.charts.find((chart) => chart.title === one.title && chart.x_title === one.x_title);
    if (!other) return [];
    const chart = new LineChart();
    chart.show(joined(one, other, names));
    return [chart.element];
  });
  const opponents = [...new Set(runs.flatMap((run) => run.matches.map((match) => match.opponent)))];
  const matches = opponents.map((opponent) => [opponent, ...runs.map((run) => score(run.matches.find((match) => match.opponent === opponent)))]);
  return [facts, make("div", { class: "charts" }, ...charts),
    ...(matches.length ? [make("h3", {}, "Test matches"), table(["opponent", ...names], matches, "Test matches of both champions")] : [])];
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
  const lines = [one, other].flatMap((chart, side) => chart.lines.map((line) => ({
    ...line, group: names[side], color: COLORS[side], pattern: kinds.indexOf(line.name), values: over(x, chart.x, line.values),
  })));
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
  const watch = (one) => (one.goesOn ? make("a", { href: `#compare-page=${inAddress(one.path)}` }, "still going on: watch") : "ended");
  const rows = found.map((one) => [link(one), watch(one), one.path, one.written]);
  return [table(["page", "state", "file", "written"], rows, "Pages, the newest first")];
}
