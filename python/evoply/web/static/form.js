// The form of a new run, made of a preset and the JSON Schema of its config.

import { get, post } from "./api.js";
import { make } from "./dom.js";
import { fieldOf } from "./fields.js";
import { say, trying } from "./messages.js";
import { sectionsOf, withKind } from "./schema.js";

const USUAL = "quick";

// Show the form of a preset in `place`; returns what ends it, which is nothing.
export function showForm(place, preset = USUAL) {
  const body = make("div");
  const choice = make("select", { id: "preset" });
  choice.addEventListener("change", () => { location.hash = `#runs-new=${choice.value}`; });
  place.replaceChildren(
    make("p", { class: "up" }, make("a", { href: "#runs" }, "All runs")),
    make("div", { class: "head" }, make("h2", {}, "New run")),
    make("label", { class: "field" }, "Begin with", choice), body);
  trying(async () => {
    const [{ presets }, form] = await Promise.all([get("/api/presets"), get(`/api/presets/${encodeURIComponent(preset)}`)]);
    choice.replaceChildren(...presets.map((one) => new Option(`${one.name}: ${one.title}`, one.name)));
    choice.value = preset;
    showKeys(body, form);
  });
  return () => {};
}

// `values` are the preset's but for tables of other kinds; `kept` is what was entered, by path, before one was chosen.
function showKeys(place, form, values = form.values, kept = {}) {
  const name = nameField(form.preset.game);
  const fields = [name]; // see fields.js
  const tests = make("input", { type: "checkbox", checked: kept.tests ?? true });
  const sections = sectionsOf(form.config_schema, values);
  const top = sections.filter((one) => one.title === "");
  const others = sections.filter((one) => one.title !== "");
  const list = (section) => section.keys.map((key) => {
    fields.push(fieldOf(key));
    return fields.at(-1).element;
  });
  const whole = make("form", { class: "config", novalidate: true },
    make("div", { class: "fields" }, name.element, ...top.flatMap(list)),
    ...others.map((section) => make("details", {}, make("summary", {}, section.title),
      ...(section.meaning ? [make("p", { class: "note" }, section.meaning.split("\n\n")[0].replaceAll("`", ""))] : []), make("div", { class: "fields" }, ...list(section)))),
    make("label", { class: "check" }, tests, "Play test matches at the end"),
    make("p", { class: "error summary", role: "alert" }),
    make("button", { type: "submit", class: "main" }, "Begin"),
    make("details", {}, make("summary", {}, "The preset as a file"), make("pre", { tabindex: "0" }, form.text)));
  whole.addEventListener("submit", (event) => {
    event.preventDefault();
    trying(() => begin(form.preset.name, whole, fields, tests.checked));
  });
  // Another kind of a table has other keys: the form is made anew, with what was entered so far.
  function rechoose({ path }, kind) {
    const entered = Object.fromEntries(fields.map((field) => [field.key.path, field.entered()]));
    const chosen = withKind(values, form.values, path.split(".").slice(0, -1), kind);
    showKeys(place, form, chosen, { ...entered, tests: tests.checked });
    const section = place.querySelector(`[name="${path}"]`);
    section?.closest("details")?.setAttribute("open", "");
    section?.focus();
  }
  whole.addEventListener("change", ({ target }) => {
    const field = fields.find(({ key }) => key.isKind && key.path === target.name);
    if (field) rechoose(field.key, field.read());
  });
  for (const field of fields) if (field.key.path in kept && !field.key.isKind) field.restore(kept[field.key.path]);
  place.replaceChildren(whole);
}

// What the run is called, which is not a key of its config.
function nameField(game) {
  const field = fieldOf({ path: "name", type: "text", meaning: "What to call it: letters, digits, - _ + and . only.",
    range: "", value: null, choices: [], columns: [], least: null, most: null });
  field.first.maxLength = 100;
  field.first.placeholder = `${game}-1, -2, …`;
  return field;
}

async function begin(preset, whole, fields, tests) {
  const summary = whole.querySelector(".summary");
  for (const field of fields) field.clear();
  summary.textContent = "";
  // What was changed; the other values are the preset's.
  const [name, ...keys] = fields;
  const settings = Object.fromEntries(keys.filter((field) => field.isChanged()).map((field) => [field.key.path, field.read()]));
  try {
    const { name: run } = await post("/api/runs", { preset, name: name.read(), tests, settings });
    location.hash = `#run=${encodeURIComponent(run)}`;
  } catch (problem) {
    if (problem.status === undefined) throw problem;
    const found = problem.errors.length ? problem.errors : [{ field: /^name\b/.test(problem.message) ? "name" : "", error: problem.message }];
    const rest = [];
    let first = null;
    for (const { field: path, error } of found) {
      const place = placeOf(fields, path.replace(/^settings\./, ""));
      if (place === null) {
        rest.push(path ? `${path}: ${error}` : error);
        continue;
      }
      place.error.textContent = error;
      if (place.input.matches("input, select")) place.input.setAttribute("aria-invalid", "true");
      place.input.closest("details")?.setAttribute("open", "");
      first ??= place.input;
    }
    summary.textContent = rest.length ? rest.join("; ") : "Look at the marked fields.";
    say("");
    (first ?? whole.querySelector("button.main")).focus();
  }
}

function placeOf(fields, path) {
  for (const field of fields) {
    const place = field.place(path);
    if (place !== null) return place;
  }
  return null;
}
