// The runs of the folder: a list, one of them, or the form of a new one, as the address says.

import { get } from "./api.js";
import { again, make, table } from "./dom.js";
import { trying } from "./messages.js";
import { showForm } from "./form.js";
import { showRun } from "./run.js";
import { moment, percent, status } from "./words.js";

const place = document.getElementById("view-runs");
const SECONDS = 3;

let end = () => {};

export function show(hash) {
  leave();
  const run = /^#run=(.+)$/s.exec(hash)?.[1];
  const preset = /^#runs-new(?:=(.+))?$/.exec(hash);
  if (run) end = showRun(place, decodeURIComponent(run));
  else if (preset) end = showForm(place, preset[1]);
  else end = showList();
}

export function leave() {
  end();
  end = () => {};
}

function showList() {
  const list = make("div");
  let before = "";
  place.replaceChildren(
    make("div", { class: "head" }, make("h2", {}, "Runs"), make("a", { class: "button main at-machine", href: "#runs-new" }, "New run")),
    list);
  return again(() => trying(async () => {
    const found = await get("/api/runs");
    const text = JSON.stringify(found);
    if (text === before) return;
    before = text;
    list.replaceChildren(...shown(found));
  }), SECONDS);
}

function shown({ folder, runs, most }) {
  if (!runs.length) {
    return [make("p", {}, "There is no run yet. Begin one here, or with ", make("code", {}, "evoply evolve demo"), "."),
      make("p", { class: "note" }, `Folder: ${folder}`)];
  }
  const rows = runs.map((run) => [
    run.trouble === null ? make("a", { href: `#run=${encodeURIComponent(run.name)}` }, run.name) : run.name,
    status(run),
    run.game,
    run.learner,
    run.trouble === null ? run.generations.toLocaleString("en") : "",
    percent(run.best_fresh),
    moment(run.created),
  ]);
  const many = runs.length < most ? "" : `, the newest ${most}`;
  return [table(["run", "status", "game", "learner", "steps", "best, fresh games", "begun"], rows, "Runs, the newest first"),
    make("p", { class: "note" }, `Folder: ${folder}${many}`)];
}
