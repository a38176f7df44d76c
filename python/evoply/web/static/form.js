// The form of a new run: first the few questions that everybody has an answer to, then, folded, all
// settings, made of a preset and the JSON Schema of its config.

import { get, post } from "./api.js";
import { make } from "./dom.js";
import { fieldOf } from "./fields.js";
import { firstStep } from "./first-step.js";
import { say, trying } from "./messages.js";
import { sectionsOf, withKind } from "./schema.js";
import { titled } from "./words.js";

const USUAL = "quick";

// Show the form of `asked`, a preset or PRESET,GAME, in `place`; returns what ends it, which is nothing.
export function showForm(place, asked = USUAL) {
  const body = make("div");
  place.replaceChildren(
    make("p", { class: "up" }, make("a", { href: "#runs" }, "All runs")),
    make("div", { class: "head" }, make("h2", {}, "New run")), body);
  let presets = null;
  let asking = 0;

  // Show another preset, or another game; what it is called stays.
  async function load(preset, game, kept, focus) {
    const mine = asking += 1;
    presets ??= (await get("/api/presets")).presets;
    const form = await get(`/api/presets/${encodeURIComponent(preset)}${game ? `?game=${encodeURIComponent(game)}` : ""}`);
    if (mine !== asking) return;
    showKeys(body, { ...form, game: game ?? form.preset.game, presets, choose }, form.values, kept);
    body.querySelector(focus ?? "x-none")?.focus();
  }

  function choose(preset, game, kept, focus) {
    const known = presets.filter((one) => one.games.includes(game));
    const chosen = known.find((one) => one.name === preset) ?? known[0];
    history.replaceState(null, "", `#runs-new=${chosen.name}${chosen.game === game ? "" : `,${game}`}`);
    trying(() => load(chosen.name, chosen.game === game ? null : game, kept, focus));
  }

  const [preset, game = null] = decodeURIComponent(asked).split(",");
  trying(() => load(preset, game, {}));
  return () => {};
}

// `values` are the preset's but for tables of other kinds; `kept` is what was entered, by path, before one was chosen.
function showKeys(place, form, values = form.values, kept = {}) {
  const name = nameField(form.game);
  const fields = [name]; // see fields.js
  const tests = make("input", { type: "checkbox", checked: kept.tests ?? true });
  const sections = sectionsOf(form.config_schema, values);
  const list = (section) => section.keys.map((key) => {
    fields.push(fieldOf(key));
    return fields.at(-1).element;
  });
  const all = make("details", { class: "all" }, make("summary", {}, "All settings"),
    ...sections.map((section) => (section.title === "" ? make("div", { class: "fields" }, ...list(section))
      : make("details", {}, make("summary", {}, section.title),
        ...(section.meaning ? [make("p", { class: "note" }, section.meaning.split("\n\n")[0].replaceAll("`", ""))] : []), make("div", { class: "fields" }, ...list(section))))),
    make("label", { class: "check" }, tests, "Play test matches at the end"),
    make("details", {}, make("summary", {}, "The preset as a file"), make("pre", { tabindex: "0" }, form.text)));
  const before = { ...form.fitting, ...kept };
  for (const field of fields) if (field.key.path in before && !field.key.isKind) field.write(before[field.key.path]);
  const first = firstStep(form, fields, name.element);
  const [game, preset] = [gameChoice(form), presetChoice(form)];
  const whole = make("form", { class: "config", novalidate: true },
    make("div", { class: "fields first" }, labelled("Game", game), labelled("Begin with", preset)),
    first.element,
    make("p", { class: "error summary", role: "alert" }),
    make("button", { type: "submit", class: "main" }, "Begin"),
    all);
  whole.addEventListener("submit", (event) => {
    event.preventDefault();
    trying(() => begin(form.preset.name, whole, { fields, first }, tests.checked));
  });
  const sameName = () => ({ name: name.read(), tests: tests.checked });
  game.addEventListener("change", () => form.choose(form.preset.name, game.value, sameName(), "#new-run-game"));
  preset.addEventListener("change", () => form.choose(preset.value, form.game, sameName(), "#preset"));
  // Another kind of a table has other keys: the form is made anew, with what was entered so far.
  function rechoose({ path }, kind) {
    const entered = Object.fromEntries(fields.map((field) => [field.key.path, field.read()]));
    const chosen = withKind(values, form.values, path.split(".").slice(0, -1), kind);
    showKeys(place, form, chosen, { ...entered, tests: tests.checked });
    const section = place.querySelector(`[name="${path}"]`);
    open(section);
    section?.focus();
  }
  whole.addEventListener("input", ({ target }) => { if (first.element.contains(target)) first.write(target); });
  whole.addEventListener("change", ({ target }) => {
    if (first.element.contains(target)) return;
    const field = fields.find(({ key }) => key.path === target.name);
    if (field?.key.isKind) rechoose(field.key, field.read());
    else if (target.name === "game") form.choose(form.preset.name, target.value, sameName(), "#new-run-game");
  });
  // Rows are added, moved and removed by buttons.
  for (const what of ["input", "click"]) all.addEventListener(what, () => first.follow());
  place.replaceChildren(whole);
  first.follow();
}

const labelled = (text, input) => make("label", { class: "field" }, text, input);

function gameChoice({ games, game }) {
  const choice = make("select", { id: "new-run-game" }, ...games.map((one) => new Option(one.title, one.name)));
  choice.value = game;
  return choice;
}

function presetChoice({ presets, preset, games, game }) {
  const title = games.find((one) => one.name === game)?.title ?? game;
  const text = (one) => titled(one.game === game ? one.title : `a small run of evolution, made to fit ${title}`).replaceAll("`", "");
  const choice = make("select", { id: "preset" },
    ...presets.filter((one) => one.games.includes(game)).map((one) => new Option(`${text(one)} (${one.name})`, one.name)));
  choice.value = preset.name;
  return choice;
}

// What the run is called, which is not a key of its config.
function nameField(game) {
  const field = fieldOf({ path: "name", label: "Name", type: "text", description: "What to call the run: letters, digits, - _ + and .",
    value: null, columns: [] });
  field.first.maxLength = 100;
  field.first.placeholder = `${game}-1, -2, …`;
  return field;
}

// Unfold whatever `element` stands in.
function open(element) {
  for (let at = element?.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
}

async function begin(preset, whole, { fields, first }, tests) {
  const summary = whole.querySelector(".summary");
  for (const field of fields) field.clear();
  first.clear();
  summary.textContent = "";
  // What was changed; the other values are the preset's.
  const [name, ...keys] = fields;
  const settings = { ...Object.fromEntries(keys.filter((field) => field.isChanged()).map((field) => [field.key.path, field.read()])),
    ...first.unreadable() };
  try {
    const { name: run } = await post("/api/runs", { preset, name: name.read(), tests, settings });
    location.hash = `#run=${encodeURIComponent(run)}`;
  } catch (problem) {
    if (problem.status === undefined) throw problem;
    const found = problem.errors.length ? problem.errors : [{ field: "", error: problem.message }];
    const rest = [];
    const marked = [];
    for (const { field, error } of found) {
      const path = field.replace(/^settings\./, "");
      const asked = first.place(path);
      const setting = placeOf(fields, path);
      if (!asked && !setting) rest.push(path ? `${path}: ${error}` : error);
      // Where it was asked first it is said, too, and there the keyboard goes.
      if (setting) mark(setting, error);
      if (asked) mark(asked, error);
      else if (setting) open(setting.input);
      if (asked ?? setting) marked.push((asked ?? setting).input);
    }
    const count = new Set(marked).size;
    const fieldsToSee = count > 1 ? `${count} fields are wrong: look at the marked ones.` : count ? "Look at the marked field." : "";
    summary.textContent = [...rest, fieldsToSee].filter(Boolean).join("; ");
    say("");
    const topmost = marked.reduce((one, other) => (one && one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? one : other), null);
    (topmost ?? whole.querySelector("button.main")).focus();
  }
}

function mark({ input, error }, text) {
  error.textContent = error.textContent ? `${error.textContent}; ${text}` : text;
  if (input.matches("input, select")) input.setAttribute("aria-invalid", "true");
}

function placeOf(fields, path) {
  for (const field of fields) {
    const place = field.place(path);
    if (place !== null) return place;
  }
  return null;
}
