// Elements of the page, without markup in texts.

// An element with attributes; one that is true stands without a value, false and null are left out.
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value !== false && value !== null) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

// The element of a picture that the server has drawn, an SVG as text.
export const drawing = (text) => document.adoptNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement);

// A table that becomes cards on a narrow screen; rows are lists of texts or elements.
export function table(columns, rows, caption) {
  const cell = (content, index) => make("td", { "data-label": columns[index] }, content);
  return make("table", { class: "cards" },
    make("caption", { class: "unseen" }, caption),
    make("thead", {}, make("tr", {}, ...columns.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map(cell)))));
}

// Do `work` now and again and again: `pause` seconds later, or ten times as long as it took, so that
// what is slow never keeps the server busy. Nothing is asked while nobody looks. Returns what ends it.
export function again(work, pause) {
  let timer = 0;
  let isEnded = false;
  const go = async () => {
    const began = performance.now();
    let wait = pause;
    if (!document.hidden) wait = (await work()) ?? pause;
    if (!isEnded) timer = setTimeout(go, Math.max(1000 * wait, 10 * (performance.now() - began)));
  };
  go();
  return () => {
    isEnded = true;
    clearTimeout(timer);
  };
}

// Build the content of `place` anew, if what it shows is something else: so nothing is taken from
// under a finger or a keyboard that is on it.
const shown = new WeakMap();
export function renew(place, data, build) {
  const key = JSON.stringify(data);
  if (shown.get(place) === key) return;
  shown.set(place, key);
  place.replaceChildren(...build(data));
}
