// The first step of the form of a new run: what it measures, its opponents, how long it takes.
// Every answer is a value of a field of all settings (see fields.js): whichever of the two is changed,
// the other one follows.

import { make } from "./dom.js";

const PART = " (part)"; // ends the name of a set with some primitives left out

// The questions about `form`, whose fields are `fields`, and last what it is called, `name`: {element, follow(), write(target),
// place(path), clear(), unreadable()}.
// `place` gives {input, error} of what is wrong at a path, and null if it is not asked here.
export function firstStep(form, fields, name) {
  const field = (path) => fields.find((one) => one.key.path === path);
  const questions = [
    ...(form.sets.length && field("primitives") ? [setQuestion(form.sets, field("primitives"))] : []),
    ...form.ticks.filter((one) => field(one.path)).map((one) => tickQuestion(one, field(one.path))),
  ];
  const minutes = field("time_limit") ? [minutesQuestion(field("time_limit"), field(form.counts))] : [];
  const last = make("div", { class: "fields" }, ...minutes.map((one) => one.element), name);
  const element = make("div", { class: "questions" }, ...questions.map((one) => one.element), last);
  questions.push(...minutes);
  return {
    element,
    follow() { for (const one of questions) one.follow(); },
    write(target) { questions.find((one) => one.element.contains(target))?.write(target); },
    place: (path) => questions.map((one) => one.place(path)).find((one) => one !== null) ?? null,
    clear() {
      for (const one of questions) {
        one.error.textContent = "";
        for (const input of one.element.querySelectorAll("[aria-invalid]")) input.removeAttribute("aria-invalid");
      }
    },
    // Settings that cannot be read as they were entered here.
    unreadable: () => Object.assign({}, ...questions.map((one) => one.unreadable?.() ?? {})),
  };
}

const errorOf = (path) => make("span", { class: "error", id: `first-error-${path.replaceAll(".", "-")}` });

function tick(text, note, attributes) {
  const input = make("input", { type: "checkbox", ...attributes });
  return { input, element: make("label", { class: "tick" }, input, make("span", {}, text, ...(note ? [" ", make("small", {}, note)] : []))) };
}

// Which primitives trees are made of: a set, and ticks that leave some of it out.
function setQuestion(sets, field) {
  const error = errorOf("primitives");
  const OWN = "";
  const choice = make("select", { "aria-label": "Set of primitives", "aria-describedby": error.id },
    ...sets.map((one) => new Option(one.title, one.name)));
  const ticks = make("div");
  let shown = null;
  let boxes = new Map();

  function build(set) {
    shown = set;
    boxes = new Map((set?.members ?? []).map((one) => [one.name, tick(one.name.replaceAll("_", " "), "", { value: one.name, title: one.meaning })]));
    const group = (title, isOperation) => {
      const all = (set?.members ?? []).filter((one) => one.is_operation === isOperation).map((one) => boxes.get(one.name).element);
      return all.length ? [make("p", { class: "group" }, title), make("div", { class: "ticks names" }, ...all)] : [];
    };
    const sides = boxes.has("white") ? [make("p", { class: "help" }, "White is the player's own colour here, black the opponent's.")] : [];
    ticks.replaceChildren(...(set ? [...sides, ...group("It may count", false), ...group("and combine by", true)]
      : [make("p", { class: "help" }, "Another set stands in all settings, at primitives.")]));
  }

  // The set that the field names, and which of its members.
  function read() {
    const text = field.first.value.trim();
    const whole = sets.find((one) => one.name === text);
    if (whole) return [whole, whole.members.map((one) => one.name)];
    try {
      const { name, primitives } = JSON.parse(text);
      const part = sets.find((one) => `${one.name}${PART}` === name);
      return part ? [part, primitives.map((one) => one.name)] : [null, []];
    } catch {
      return [null, []];
    }
  }

  const names = make("datalist", { id: "sets" }, ...sets.map((one) => make("option", { value: one.name })));
  field.first.setAttribute("list", "sets");
  return {
    error,
    element: make("fieldset", { class: "question" }, make("legend", {}, "What it measures"), choice, ticks, error, names),
    follow() {
      const [set, members] = read();
      if (set === null && ![...choice.options].some((one) => one.value === OWN)) choice.append(new Option("another set", OWN));
      choice.value = set?.name ?? OWN;
      if (set !== shown || !ticks.hasChildNodes()) build(set);
      for (const [name, box] of boxes) box.input.checked = members.includes(name);
    },
    write(target) {
      const set = sets.find((one) => one.name === choice.value);
      if (!set) return;
      const kept = target === choice ? [] : set.members.filter((one) => boxes.get(one.name).input.checked).map((one) => one.name);
      const isWhole = target === choice || kept.length === set.members.length;
      const { definition } = set;
      field.write(isWhole ? set.name : JSON.stringify({ ...definition, name: `${set.name}${PART}`,
        primitives: definition.primitives.filter((one) => kept.includes(one.name)) }));
      this.follow();
    },
    place: (path) => (path === "primitives" ? { input: choice, error } : null),
  };
}

// Rows of a list that can be chosen from; rows that are none of the options are left alone.
function tickQuestion({ path, column, title, note, options, new_row }, field) {
  const error = errorOf(path);
  const valueOf = (row) => String(row[column] ?? "").trim();
  const boxes = options.map((one) => tick(one.title, one.about || (one.title === one.value ? "" : one.value),
    { value: one.value, title: one.value, "aria-describedby": error.id }));
  const others = make("p", { class: "help" });
  return {
    error,
    element: make("fieldset", { class: "question" }, make("legend", {}, title), make("p", { class: "help" }, note),
      make("div", { class: "ticks" }, ...boxes.map((one) => one.element)), others, error),
    follow() {
      const there = field.read().map(valueOf);
      for (const { input } of boxes) input.checked = there.includes(input.value);
      const own = there.filter((one) => one && !options.some(({ value }) => value === one));
      others.textContent = own.length ? `and, in all settings: ${own.join(", ")}` : "";
    },
    write({ value, checked }) {
      const rows = field.read();
      if (checked) field.write([...rows, { ...new_row, [column]: value }]);
      else field.write(rows.filter((row) => valueOf(row) !== value));
    },
    place(where) {
      if (where === path) return { input: boxes[0].input, error };
      const place = where.startsWith(`${path}.`) ? where.slice(path.length + 1).split(".")[0] : null;
      const row = place === null ? undefined : field.read()[Number(place)];
      const box = row && boxes.find(({ input }) => input.value === valueOf(row));
      return box ? { input: box.input, error } : null;
    },
  };
}

// How long it takes, in minutes; the setting has seconds.
function minutesQuestion(field, count) {
  const error = errorOf("time_limit");
  const help = make("span", { class: "help", id: "help-minutes" });
  const input = make("input", { type: "number", min: 0, step: "any", placeholder: "no limit", "aria-describedby": `help-minutes ${error.id}` });
  function say() {
    const seconds = Number(field.first.value);
    const short = field.first.value !== "" && seconds > 0 && seconds < 60 ? `That is ${seconds} seconds. ` : "";
    const end = count?.first.value ? `It ends after ${Number(count.first.value).toLocaleString("en")} ${count.key.path} in any case.` : "";
    help.textContent = `${short}Empty: no limit in time. ${end}`;
  }
  return {
    error,
    element: make("div", { class: "field" }, make("label", {}, make("span", {}, "Minutes"), input), error, help),
    follow() {
      if (document.activeElement !== input) {
        input.value = field.first.value === "" ? "" : String(Math.round(Number(field.first.value) / 0.6) / 100);
      }
      say();
    },
    write() {
      field.write(input.value === "" ? null : Math.round(Number(input.value) * 6e4) / 1000);
      say();
    },
    place: (path) => (path === "time_limit" || (path === count?.key.path && count.first.value === "") ? { input, error } : null),
    unreadable: () => (input.validity.badInput ? { time_limit: "no number" } : {}),
  };
}
