// What this browser remembers of its reader's wishes. Where it may keep nothing, they last as long
// as the page.

const kept = new Map();
const KEY = "evoply-";

export function wish(name, usual) {
  if (!kept.has(name)) {
    let text = null;
    try {
      text = localStorage.getItem(KEY + name);
    } catch {
      // Storage is switched off.
    }
    kept.set(name, text === null ? usual : text === "true");
  }
  return kept.get(name);
}

export function setWish(name, value) {
  kept.set(name, value);
  try {
    localStorage.setItem(KEY + name, String(value));
  } catch {
    // It is forgotten with the page.
  }
}
