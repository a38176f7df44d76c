// The sections of a form, {title, meaning, keys}, read from the JSON Schema of a config and its values.
// A key is what the schema says of a value (enum, minimum, ...) with {path, value, isRequired, type, range, columns, isKind}:
// `type` and `range` are in words, `columns` the keys of a list's rows; a kind chooses which of several tables its table is.

const NAMES = { string: "text", integer: "whole number", number: "number", boolean: "true or false", object: "table" };
// What people look for first; `starts`, a list that may be long, comes last.
const OTHERS = "*";
const ORDER = ["", "islands", "fitness", "player", "individual", "initialisation", "limits", "selection", "survival", "variation", "parsimony",
  "demes", "steady_state", "termination", "hall_of_fame", "tuning", "draws", OTHERS, "machine", "starts"];
const LARGEST = 2 ** 63; // above all seeds; nobody recognises it when it is written out

export function sectionsOf(schema, values) {
  // What a value may be, but for null, which is no value.
  const options = (field) => (field.$ref ? [schema.$defs[field.$ref.split("/").at(-1)]]
    : (field.anyOf ?? field.oneOf)?.flatMap(options) ?? (field.type === "null" ? [] : [field]));
  const typeOf = (field) => [...new Set(options(field).map((one) => (one.items ? `list of ${typeOf(one.items)}s` : NAMES[one.type])))].join(" or ");
  const facts = (field) => Object.assign({}, ...options(field));
  const isRequired = (table, name) => table.required?.includes(name) ?? false;

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
    const isLast = (key) => ORDER.indexOf(key.path) > ORDER.indexOf(OTHERS);
    yield { title: chooser.length ? `${path}: ${given.kind}` : path, meaning: table.description ?? "", keys: keys.filter((key) => !isLast(key)) };
    for (const key of keys.filter(isLast)) yield { title: key.path, meaning: "", keys: [key] };
    for (const one of below) yield* one;
    yield* absent;
  }

  function kindOf(field, tables, path, value) {
    const kinds = { type: "string", enum: tables.map((one) => one.properties.kind.const), description: "Which of the kinds this table is; the other keys depend on it." };
    return { ...keyOf(kinds, path, value?.kind ?? null, !field.default), isKind: true };
  }

  // None of what a form cannot hold.
  function keysOf(field, path, value, required) {
    const isTable = value === null ? typeOf(field) === NAMES.object : typeof value === "object" && !Array.isArray(value);
    return isTable ? [] : [keyOf(field, path, value, required)];
  }

  function keyOf(field, path, value, required) {
    const own = facts(field);
    return { ...own, path, value, isRequired: required, type: typeOf(field), description: field.description ?? "",
      range: own.enum ? "" : range(own), columns: own.items ? columnsOf(own.items, `${path}.0`) : [] };
  }

  function columnsOf(items, path) {
    const table = facts(items);
    if (!table.properties) return [keyOf(items, path, null, false)];
    return Object.entries(table.properties).map(([name, one]) => keyOf(one, `${path}.${name}`, one.default ?? null, isRequired(table, name)));
  }

  // A table of one kind that is not there, and comes of any value in it.
  function unset(table, path) {
    const keys = Object.entries(table.properties).flatMap(([name, field]) => keysOf(field, `${path}.${name}`, null, isRequired(table, name))
      .filter((key) => !key.columns.length)
      .map((key) => ({ ...key, range: [key.range, (field.default ?? null) !== null && `${JSON.stringify(field.default)} if left empty`].filter(Boolean).join(", ") })));
    return { title: path, meaning: `There only if a value is given. ${table.description ?? ""}`, keys };
  }

  const found = [...sections(schema, "", values)].filter((section) => section.keys.length);
  return found.sort((one, other) => rank(one.title) - rank(other.title)); // those of equal rank as they come
}

function rank(title) {
  const place = ORDER.indexOf(title.split(/[.:]/)[0]);
  return place < 0 ? ORDER.indexOf(OTHERS) : place;
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
  if (exclusiveMaximum >= LARGEST) return `${number(minimum)} to 2^63 - 1`;
  const isWithin = minimum !== undefined && maximum !== undefined;
  const words = isWithin ? [[minimum, (one) => `${one} to ${number(maximum)}`]] : [
    [minimum, (one) => `${one} or more`], [exclusiveMinimum, (one) => `above ${one}`],
    [maximum, (one) => `at most ${one}`], [exclusiveMaximum, (one) => `below ${one}`]];
  words.push([minItems, (one) => (one === "1" ? "not empty" : `at least ${one} long`)], [maxItems, (one) => `at most ${one} long`]);
  return words.filter(([bound]) => bound !== undefined).map(([bound, text]) => text(number(bound))).join(", ");
}
