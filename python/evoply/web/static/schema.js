// The sections and keys of a form, read from the JSON Schema of a config and its values.
// A key is {path, type, meaning, range, value, isRequired, choices, least, most, isKind, columns, rows}:
// a kind chooses which of several tables its table is; `columns` are the cells of a list's rows.

const NAMES = { string: "text", integer: "whole number", number: "number", boolean: "true or false", object: "table" };
// What people look for first; `starts`, a list that may be long, comes last. Other sections stand before `machine`.
const ORDER = ["", "islands", "fitness", "player", "individual", "initialisation", "limits", "selection", "survival", "variation", "parsimony",
  "demes", "steady_state", "termination", "hall_of_fame", "tuning", "draws"];
const LAST = ["machine", "starts"];
const LARGEST = 2 ** 63; // above all seeds; nobody recognises it when it is written out

export function sectionsOf(schema, values) {
  // What a value may be, but for null, which is no value.
  const options = (field) => (field.$ref ? [schema.$defs[field.$ref.split("/").at(-1)]]
    : (field.anyOf ?? field.oneOf)?.flatMap(options) ?? (field.type === "null" ? [] : [field]));
  const typeOf = (field) => [...new Set(options(field).map((one) => (one.items ? `list of ${typeOf(one.items)}s` : NAMES[one.type])))].join(" or ");
  const limits = (field) => Object.assign({}, ...options(field));

  // The sections of one table, then of those in it, then of those that may be in it.
  function* sections(table, path, given, chooser = []) {
    const keys = [...chooser];
    const below = [];
    const absent = [];
    for (const [name, field] of Object.entries(table.properties)) {
      if ("const" in field) continue; // it says what the table is
      const place = path ? `${path}.${name}` : name;
      const value = name in given ? given[name] : field.default ?? null;
      const tables = options(field).filter((one) => one.properties);
      const choosing = tables.length > 1 ? [kindOf(field, tables, `${place}.kind`, value)] : [];
      if (!tables.length) keys.push(...keysOf(field, place, value, isRequired(table, name)));
      else if (value !== null) below.push(sections(tables.find((one) => !choosing.length || one.properties.kind.const === value.kind), place, value, choosing));
      else absent.push(choosing.length ? { title: place, meaning: "", keys: choosing } : unset(tables[0], place));
    }
    const isLast = (key) => LAST.includes(key.path);
    yield { title: chooser.length ? `${path}: ${given.kind}` : path, meaning: table.description ?? "", keys: keys.filter((key) => !isLast(key)) };
    for (const key of keys.filter(isLast)) yield { title: key.path, meaning: "", keys: [key] };
    for (const one of below) yield* one;
    yield* absent;
  }

  const isRequired = (table, name) => table.required?.includes(name) ?? false;

  function kindOf(field, tables, path, value) {
    return { ...cell({ type: "string", enum: tables.map((one) => one.properties.kind.const) }, path, value?.kind ?? null, !field.default), isKind: true,
      meaning: "Which of the kinds this table is; the other keys depend on it." };
  }

  // None of what a form cannot hold.
  function keysOf(field, path, value, required) {
    const { items } = limits(field);
    if (items) return [list(field, items, path, value, required)];
    const isTable = value === null ? typeOf(field) === NAMES.object : typeof value === "object";
    return isTable ? [] : [cell(field, path, value, required)];
  }

  // A value that one field holds.
  function cell(field, path, value, required) {
    const { enum: choices = [], minimum: least = null, maximum: most = null } = limits(field);
    return { path, type: typeOf(field), meaning: field.description ?? "", range: choices.length ? "" : range(limits(field)), value, isRequired: required,
      choices, least, most, isKind: false, columns: [], rows: null };
  }

  function list(field, items, path, value, required) {
    const table = limits(items);
    const { properties } = table;
    const columns = properties
      ? Object.entries(properties).map(([name, one]) => cell(one, `${path}.0.${name}`, one.default ?? null, isRequired(table, name)))
      : [cell(items, `${path}.0`, null, false)];
    const rows = value?.map((row) => (properties ? Object.keys(properties).map((name) => row[name] ?? null) : [row])) ?? null;
    return { ...cell(field, path, null, required), columns, rows };
  }

  // A table of one kind that is not there, and comes of any value in it.
  function unset(table, path) {
    const keys = Object.entries(table.properties).flatMap(([name, field]) => keysOf(field, `${path}.${name}`, null, isRequired(table, name))
      .filter((key) => !key.columns.length)
      .map((key) => ({ ...key, range: [key.range, (field.default ?? null) !== null && `${JSON.stringify(field.default)} if left empty`].filter(Boolean).join(", ") })));
    return { title: path, meaning: `There only if a value is given. ${table.description ?? ""}`, keys };
  }

  const found = [...sections(schema, "", values)].filter((section) => section.keys.length);
  return found.sort((one, other) => rank(one) - rank(other)); // those of equal rank as they come
}

function rank({ title }) {
  const name = title.split(/[.:]/)[0];
  const last = LAST.indexOf(name);
  if (last >= 0) return ORDER.length + 1 + last;
  const place = ORDER.indexOf(name);
  return place < 0 ? ORDER.length : place;
}

// Return `values` with another kind of the table at `path`, null for none; what `usual` has of this kind is as there.
export function withKind(values, usual, path, kind) {
  const [name, ...rest] = path;
  if (rest.length) return { ...values, [name]: withKind(values[name] ?? {}, usual?.[name], rest, kind) };
  return { ...values, [name]: kind === null ? null : usual?.[name]?.kind === kind ? usual[name] : { kind } };
}

// Bounds in words.
function range({ minimum, exclusiveMinimum, maximum, exclusiveMaximum, minLength, minItems = minLength, maxLength, maxItems = maxLength }) {
  const number = (one) => one.toLocaleString("en", { maximumFractionDigits: 20 });
  const words = [];
  const say = (bound, text) => { if (bound !== undefined) words.push(text(number(bound))); };
  if (exclusiveMaximum >= LARGEST) words.push(`${number(minimum)} to 2^63 - 1`);
  else if (minimum !== undefined && maximum !== undefined) words.push(`${number(minimum)} to ${number(maximum)}`);
  else {
    say(minimum, (one) => `${one} or more`);
    say(exclusiveMinimum, (one) => `above ${one}`);
    say(maximum, (one) => `at most ${one}`);
    say(exclusiveMaximum, (one) => `below ${one}`);
  }
  say(minItems, (one) => (one === "1" ? "not empty" : `at least ${one} long`));
  say(maxItems, (one) => `at most ${one} long`);
  return words.join(", ");
}
