// The fields of a form, made of a key (see schema.js): one value, or a list of rows.
// A field is {key, element, first, read(), write(value), isChanged(), entered(), restore(raw), place(path), clear()}:
// `first` is where the keyboard goes, `place` gives {input, error} for what is wrong at a path;
// `entered` and `restore` are of texts as they were typed.

import { make } from "./dom.js";

export function fieldOf(key) {
  return key.columns.length ? listField(key) : oneField(key);
}

const nameOf = (path) => path.split(".").at(-1);

function help(key) {
  if (key.label) return key.meaning;
  const limits = key.range ? `${key.type}, ${key.range}` : key.choices.length ? "" : key.type;
  return `${key.meaning.replaceAll("`", "")}${limits ? ` (${limits})` : ""}`;
}

function oneField(key) {
  const cell = cellOf(key, key.value);
  const id = key.path.replaceAll(".", "-");
  cell.at(key.path, `help-${id}`);
  const element = make("div", { class: "field" }, make("label", {}, make("span", {}, key.label ?? nameOf(key.path)), cell.input), cell.error,
    make("span", { class: "help", id: `help-${id}` }, help(key)));
  return {
    key, element, first: cell.input, read: cell.read, clear: cell.clear,
    // A kind is always said: the other values are those that it begins with.
    isChanged: () => key.isKind || cell.input.value.trim() !== text(key.value),
    entered: () => cell.input.value,
    restore: (raw) => { cell.input.value = raw; },
    write: (value) => { cell.input.value = text(value); },
    place: (path) => (path === key.path ? cell : null),
  };
}

const text = (value) => (value === null ? "" : Array.isArray(value) ? value.join(", ") : String(value));

// Where one value is entered, and what is wrong with it.
function cellOf(key, value) {
  const error = make("span", { class: "error" });
  const input = inputOf(key, value);
  return {
    input, error,
    at(path, help) {
      error.id = `error-${path.replaceAll(".", "-")}`;
      input.name = path;
      input.setAttribute("aria-describedby", `${help} ${error.id}`);
    },
    read: () => valueOf(key, input),
    clear() {
      error.textContent = "";
      input.removeAttribute("aria-invalid");
    },
  };
}

function inputOf(key, value) {
  if (key.choices.length || key.type === "true or false") {
    const choices = key.choices.length ? key.choices : ["true", "false"];
    // A kind must be given where its table is; without it there is no such table.
    const empty = value === null || (key.isKind && key.isRequired) ? [new Option("empty", "")] : [];
    const select = make("select", {}, ...empty, ...choices.map((one) => new Option(one, one)));
    select.value = text(value);
    return select;
  }
  const isNumber = key.type === "whole number" || key.type === "number";
  return make("input", { type: isNumber ? "number" : "text", min: key.least, max: key.most,
    step: isNumber ? (key.type === "number" ? "any" : 1) : null,
    placeholder: key.isRequired ? null : "empty", value: value === null ? null : text(value) });
}

function valueOf(key, input) {
  const entered = input.value.trim();
  if (entered === "" && input.validity.badInput) return "no number";
  if (entered === "" && key.type !== "text") return null;
  if (key.type === "true or false") return entered === "true";
  const number = (one) => (Number.isFinite(Number(one)) ? Number(one) : one);
  if (key.type.startsWith("list of ")) {
    return entered.split(/[\s,]+/).filter((one) => one).map((one) => (key.type.includes("number") ? number(one) : one));
  }
  return entered === "" ? null : key.type.includes("number") ? number(entered) : entered;
}

// Rows that can be added, removed and moved. `key.columns` are the cells of a row.
function listField(key) {
  const id = key.path.replaceAll(".", "-");
  const error = make("span", { class: "error", id: `error-${id}` });
  const list = make("ol", { class: "rows" });
  const isTable = key.columns[0].path !== `${key.path}.0`;
  const rows = []; // {element, cells, buttons}
  const add = make("button", { type: "button", "aria-describedby": `help-${id} error-${id}`, click: () => append().cells[0].input.focus() }, "Add a row");
  const helps = isTable ? key.columns.map((column) => make("span", { class: "help", id: `help-${column.path.replaceAll(".", "-")}` },
    make("b", {}, nameOf(column.path)), ` ${help(column)}`)) : [];
  const element = make("fieldset", { class: "field list" }, make("legend", {}, nameOf(key.path)), list, add, error,
    make("span", { class: "help", id: `help-${id}` }, help(key)), ...helps);

  function append(values = key.columns.map((column) => column.value)) {
    const cells = key.columns.map((column, index) => cellOf(column, values[index]));
    const button = (sign, work) => make("button", { type: "button", class: "small", click: work }, make("span", { "aria-hidden": "true" }, sign));
    const row = { cells, buttons: {
      up: button("▲", () => move(row, -1)), down: button("▼", () => move(row, 1)), remove: button("✕", () => remove(row)) } };
    row.element = make("li", {},
      ...cells.map((cell, index) => make("div", { class: "cell" },
        ...(isTable ? [make("label", {}, make("span", {}, nameOf(key.columns[index].path)), cell.input)] : [cell.input]), cell.error)),
      make("span", { class: "row-tools" }, ...Object.values(row.buttons)));
    rows.push(row);
    number();
    return row;
  }

  function remove(row) {
    const place = rows.indexOf(row);
    rows.splice(place, 1);
    number();
    (rows[Math.min(place, rows.length - 1)]?.buttons.remove ?? add).focus();
  }

  function move(row, by) {
    const place = rows.indexOf(row);
    rows.splice(place, 1);
    rows.splice(place + by, 0, row);
    number();
    const { up, down } = row.buttons;
    (by < 0 ? (up.disabled ? down : up) : down.disabled ? up : down).focus();
  }

  // Paths and names follow the place of a row.
  function number() {
    const shown = rows.map((row) => row.element);
    if (shown.some((one, place) => list.children[place] !== one) || list.children.length !== shown.length) list.replaceChildren(...shown);
    rows.forEach((row, place) => {
      row.cells.forEach((cell, index) => {
        const column = key.columns[index].path; // as in the first row
        cell.at(`${key.path}.${place}${column.slice(key.path.length + 2)}`, `help-${isTable ? column.replaceAll(".", "-") : id}`);
        if (!isTable) cell.input.setAttribute("aria-label", `${nameOf(key.path)}, row ${place + 1}`);
      });
      row.element.setAttribute("aria-label", `row ${place + 1}`);
      for (const [what, button] of Object.entries(row.buttons)) {
        button.setAttribute("aria-label", what === "remove" ? `Remove row ${place + 1}` : `Move row ${place + 1} ${what}`);
      }
      row.buttons.up.disabled = place === 0;
      row.buttons.down.disabled = place === rows.length - 1;
    });
  }

  const read = () => rows.map(({ cells }) => (isTable
    ? Object.fromEntries(cells.map((cell, index) => [nameOf(key.columns[index].path), cell.read()])) : cells[0].read()));
  const raw = () => rows.map(({ cells }) => cells.map((cell) => cell.input.value));
  const restore = (kept) => {
    rows.length = 0;
    list.replaceChildren();
    for (const values of kept) append().cells.forEach((cell, index) => { cell.input.value = values[index]; });
  };
  for (const values of key.rows ?? []) append(values);
  const before = JSON.stringify(raw());
  return {
    key, element, first: add, read,
    isChanged: () => JSON.stringify(raw()) !== before,
    entered: raw,
    restore,
    write: (values) => restore(values.map((row) => key.columns.map((column) => text((isTable ? row[nameOf(column.path)] : row) ?? null)))),
    place: (path) => rows.flatMap((row) => row.cells).find((cell) => cell.input.name === path)
      ?? (path === key.path || path.startsWith(`${key.path}.`) ? { input: add, error } : null),
    clear() {
      error.textContent = "";
      for (const row of rows) for (const cell of row.cells) cell.clear();
    },
  };
}
