// A game as text: moves, GGF, PDN, a picture, or a link to this server.

import { get } from "./api.js";
import { at } from "./names.js";

export function offerForms(game) {
  for (const option of at("copy").options) {
    option.hidden = option.disabled = !["", "link", ...game.forms].includes(option.value);
  }
}

// Returns what to say about it.
export async function copyGame(game) {
  const form = at("copy").value;
  at("copy").value = "";
  if (!form) return "";
  const text = form === "link"
    ? `${location.origin}/#link=${game.game},${encodeURIComponent(game.moves.length ? game.transcript : game.start_text)}`
    : await get(`/api/games/${game.id}/copy?form=${form}`);
  const box = at("copied");
  box.value = typeof text === "string" ? text : JSON.stringify(text);
  box.hidden = false;
  box.select();
  try {
    await navigator.clipboard.writeText(box.value);
    return "Copied.";
  } catch {
    return "Copy it from here.";
  }
}
