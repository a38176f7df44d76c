// The form of a new run, made of what the server says of every key: types, limits, help, values.

import { get, post } from "./api.js";
import { make } from "./dom.js";
import { say, trying } from "./messages.js";

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

// `kept` are values by path that were entered before another kind of a table was chosen.
function showKeys(place, form, kept = {}) {
  const fields = new Map(); // by path: {key, input, error}
  const name = make("input", { type: "text", name: "name", maxlength: 100, placeholder: `${form.preset.game}-1, -2, …`, "aria-describedby": "help-name error-name" });
  const nameError = make("span", { class: "error", id: "error-name" });
  fields.set("name", { input: name, error: nameError });
  const tests = make("input", { type: "checkbox", checked: true });
  const top = form.sections.filter((one) => one.title === "");
  const others = form.sections.filter((one) => one.title !== "");
  const list = (section) => section.keys.map((key) => field(key, fields));
  const whole = make("form", { class: "config", novalidate: true },
    make("div", { class: "fields" },
      make("div", { class: "field" }, make("label", {}, make("span", {}, "name"), name), nameError,
        make("span", { class: "help", id: "help-name" }, "What to call it: letters, digits, - _ + and . only.")),
      ...top.flatMap(list)),
    ...others.map((section) => make("details", {}, make("summary", {}, section.title),
      ...(section.meaning ? [make("p", { class: "note" }, section.meaning.split("\n\n")[0].replaceAll("`", ""))] : []), make("div", { class: "fields" }, ...list(section)))),
    make("label", { class: "check" }, tests, "Play test matches at the end"),
    make("p", { class: "error summary", role: "alert" }),
    make("button", { type: "submit", class: "main" }, "Begin"),
    make("details", {}, make("summary", {}, "The preset as a file"), make("pre", { tabindex: "0" }, form.text)));
  whole.addEventListener("submit", (event) => {
    event.preventDefault();
    trying(() => begin(form.preset.name, whole, fields, name.value.trim() || null, tests.checked));
  });
  // Another kind of a table has other keys: the form is made anew, with what was entered so far.
  async function rechoose() {
    const entered = Object.fromEntries([...fields].map(([path, { input }]) => [path, input.value]));
    const kinds = [...fields].filter(([, { key }]) => key?.is_kind).map(([path, { input }]) => `kind=${path}=${encodeURIComponent(input.value)}`);
    const chosen = await get(`/api/presets/${form.preset.name}?${kinds.join("&")}`);
    showKeys(place, chosen, { ...entered, tests: tests.checked });
    const section = place.querySelector(`[name="${focused}"]`);
    section?.closest("details")?.setAttribute("open", "");
    section?.focus();
  }
  let focused = "";
  whole.addEventListener("change", (event) => {
    if (!fields.get(event.target.name)?.key?.is_kind) return;
    focused = event.target.name;
    trying(rechoose);
  });
  for (const [path, { key, input }] of fields) if (path in kept && !key?.is_kind) input.value = kept[path];
  if ("tests" in kept) tests.checked = kept.tests;
  place.replaceChildren(whole);
}

function field(key, fields) {
  const id = key.path.replaceAll(".", "-");
  const described = { "aria-describedby": `help-${id} error-${id}`, name: key.path };
  const input = inputOf(key, described);
  const error = make("span", { class: "error", id: `error-${id}` });
  fields.set(key.path, { key, input, error });
  const limits = key.range ? `${key.type}, ${key.range}` : key.choices.length ? "" : key.type;
  return make("div", { class: "field" }, make("label", {}, make("span", {}, key.path.split(".").at(-1)), input), error,
    make("span", { class: "help", id: `help-${id}` }, key.meaning.replaceAll("`", ""), limits ? ` (${limits})` : ""));
}

function inputOf(key, described) {
  if (key.choices.length || key.type === "true or false") {
    const choices = key.choices.length ? key.choices : ["true", "false"];
    // A kind must be given where its table is; without it there is no such table.
    const empty = key.value === null || (key.is_kind && key.is_required) ? [new Option("not set", "")] : [];
    const select = make("select", described, ...empty, ...choices.map((one) => new Option(one, one)));
    select.value = key.value === null ? "" : String(key.value);
    return select;
  }
  const isNumber = key.type === "whole number" || key.type === "number";
  return make("input", { ...described, type: isNumber ? "number" : "text", min: key.least, max: key.most,
    step: isNumber ? (key.type === "number" ? "any" : 1) : null,
    placeholder: key.is_required ? null : "not set", value: key.value === null ? null : String(key.value) });
}

// What was changed, as the server takes it: the other values are the preset's.
function changed(fields) {
  const settings = {};
  for (const [path, { key, input }] of fields) {
    const before = key === undefined || key.value === null ? "" : String(key.value);
    // A kind is always said: the other values are those that it begins with.
    if (key === undefined || (!key.is_kind && input.value.trim() === before)) continue;
    settings[path] = valueOf(key, input);
  }
  return settings;
}

function valueOf(key, input) {
  const text = input.value.trim();
  if (text === "" && input.validity.badInput) return "no number";
  if (text === "" && key.type !== "text") return null;
  if (key.type === "true or false") return text === "true";
  const isNumber = key.type.includes("number") && text !== "" && Number.isFinite(Number(text));
  return isNumber ? Number(text) : text === "" ? null : text;
}

async function begin(preset, whole, fields, name, tests) {
  const summary = whole.querySelector(".summary");
  for (const { input, error } of fields.values()) {
    error.textContent = "";
    input.removeAttribute("aria-invalid");
  }
  summary.textContent = "";
  try {
    const { name: run } = await post("/api/runs", { preset, name, tests, settings: changed(fields) });
    location.hash = `#run=${encodeURIComponent(run)}`;
  } catch (problem) {
    if (problem.status === undefined) throw problem;
    const found = problem.errors.length ? problem.errors : [{ field: /^name\b/.test(problem.message) ? "name" : "", error: problem.message }];
    const rest = [];
    let first = null;
    for (const { field: path, error } of found) {
      const place = fields.get(path.replace(/^settings\./, ""));
      if (place === undefined) {
        rest.push(path ? `${path}: ${error}` : error);
        continue;
      }
      place.error.textContent = error;
      place.input.setAttribute("aria-invalid", "true");
      place.input.closest("details")?.setAttribute("open", "");
      first ??= place.input;
    }
    summary.textContent = rest.length ? rest.join("; ") : "Look at the marked fields.";
    say("");
    (first ?? whole.querySelector("button.main")).focus();
  }
}
