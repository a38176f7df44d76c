// The fields of a form, made of a key (see schema.js): one value, or a list of rows.
// A field is {key, element, first, read(), write(value), isChanged(), place(path), clear()}:
// `first` is where the keyboard goes, `place` gives {input, error} for what is wrong at a path.

import { make } from "./dom.js";

const nameOf = (path) => path.split(".").at(-1);
const idOf = (path) => path.replaceAll(".", "-");
const text = (value) => (value === null ? "" : Array.isArray(value) ? value.join(", ") : String(value));

function help(key, ...before) {
  const limits = key.range ? `${key.type}, ${key.range}` : key.enum ? "" : key.type;
  return make("span", { class: "help", id: `help-${idOf(key.path)}` }, ...before,
    key.label ? key.description : `${key.description.replaceAll("`", "")}${limits ? ` (${limits})` : ""}`);
}

export function fieldOf(key) {
  const field = key.columns.length ? listField(key) : oneField(key);
  const before = JSON.stringify(field.read());
  // A kind is always said: the other values are those that it begins with.
  return { key, isChanged: () => key.isKind || JSON.stringify(field.read()) !== before, ...field };
}

function oneField(key) {
  const cell = cellOf(key, key.value);
  cell.at(key.path, `help-${idOf(key.path)}`);
  const element = make("div", { class: "field" }, make("label", {}, make("span", {}, key.label ?? nameOf(key.path)), cell.input), cell.error, help(key));
  return { element, first: cell.input, read: cell.read, write: cell.write, clear: cell.clear, place: (path) => (path === key.path ? cell : null) };
}

// Where one value is entered, and what is wrong with it.
function cellOf(key, value) {
  const error = make("span", { class: "error" });
  const input = inputOf(key, value);
  const write = (one) => { input.value = text(one); };
  write(value);
  return {
    input, error, write,
    at(path, helpId) {
      error.id = `error-${idOf(path)}`;
      input.name = path;
      input.setAttribute("aria-describedby", `${helpId} ${error.id}`);
    },
    read: () => valueOf(key, input),
    clear() {
      error.textContent = "";
      input.removeAttribute("aria-invalid");
    },
  };
}

function inputOf(key, value) {
  const choices = key.enum ?? (key.type === "true or false" ? ["true", "false"] : null);
  if (choices) {
    // A kind must be given where its table is; without it there is no such table.
    const empty = value === null || (key.isKind && key.isRequired) ? [new Option("empty", "")] : [];
    return make("select", {}, ...empty, ...choices.map((one) => new Option(one, one)));
  }
  const step = { "whole number": 1, number: "any" }[key.type] ?? null;
  return make("input", { type: step === null ? "text" : "number", min: key.minimum ?? null, max: key.maximum ?? null, step,
    placeholder: key.isRequired ? null : "empty" });
}

function valueOf(key, input) {
  const entered = input.value.trim();
  if (entered === "") return input.validity.badInput ? "no number" : null;
  if (key.type === "true or false") return entered === "true";
  const read = (one) => (key.type.includes("number") && Number.isFinite(Number(one)) ? Number(one) : one);
  return key.type.startsWith("list of ") ? entered.split(/[\s,]+/).filter((one) => one).map(read) : read(entered);
}

// Rows that can be added, removed and moved. `key.columns` are the cells of a row.
function listField(key) {
  const id = idOf(key.path);
  const error = make("span", { class: "error", id: `error-${id}` });
  const list = make("ol", { class: "rows" });
  const isTable = key.columns[0].path !== `${key.path}.0`;
  const rows = []; // {element, cells, buttons}
  const add = make("button", { type: "button", "aria-describedby": `help-${id} error-${id}`, click: () => append().cells[0].input.focus() }, "Add a row");
  const helps = isTable ? key.columns.map((column) => help(column, make("b", {}, nameOf(column.path)), " ")) : [];
  const element = make("fieldset", { class: "field list" }, make("legend", {}, nameOf(key.path)), list, add, error, help(key), ...helps);

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
        cell.at(`${key.path}.${place}${column.slice(key.path.length + 2)}`, `help-${isTable ? idOf(column) : id}`);
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

  function write(values) {
    rows.length = 0;
    list.replaceChildren();
    for (const row of values ?? []) append(key.columns.map((column) => (isTable ? row[nameOf(column.path)] : row) ?? null));
  }

  write(key.value);
  return {
    element, first: add, write,
    read: () => rows.map(({ cells }) => (isTable
      ? Object.fromEntries(cells.map((cell, index) => [nameOf(key.columns[index].path), cell.read()])) : cells[0].read())),
    place: (path) => rows.flatMap((row) => row.cells).find((cell) => cell.input.name === path)
      ?? (path === key.path || path.startsWith(`${key.path}.`) ? { input: add, error } : null),
    clear() {
      error.textContent = "";
      for (const row of rows) for (const cell of row.cells) cell.clear();
    },
  };
}
