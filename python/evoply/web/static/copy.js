// A game as text: moves, GGF, PDN, a picture, or a link that people on other devices can open.

import { get } from "./api.js";
import { at, origin } from "./names.js";

export function offerForms(game) {
  for (const option of at("copy").options) {
    option.hidden = option.disabled = !["", "link", "numbered", ...bare(game) ? ["bare"] : [], ...game.forms].includes(option.value);
  }
}

const played = (game) => game.moves.filter((move) => move.path.length).map((move) => move.text);

// The moves as other programs of Othello take them, without passes and from the usual start; "" in other games.
const bare = (game) => (game.game === "othello" && !/\s/.test(game.transcript) ? played(game).join("") : "");

const numbered = (game) => [...(game.transcript.startsWith(game.start_text) ? [game.start_text] : []),
  ...played(game).map((move, index) => `${index + 1}. ${move}`)].join(" ");

// Returns what to say about it.
export async function copyGame(game) {
  const form = at("copy").value;
  at("copy").value = "";
  if (!form) return "";
  const made = { bare, numbered,
    link: () => `${origin}/#link=${game.game},${encodeURIComponent(game.moves.length ? game.transcript : game.start_text)}` };
  const text = made[form] ? made[form](game) : await get(`/api/games/${game.id}/copy?form=${form}`);
  return copied(typeof text === "string" ? text : JSON.stringify(text));
}

// Copy a text, which is shown too. Browsers give the newer way only to pages of this machine.
export async function copied(text) {
  const box = at("copied");
  box.value = text;
  box.hidden = false;
  box.select();
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else if (!document.execCommand("copy")) return "Copy it from here.";
    return "Copied.";
  } catch {
    return "Copy it from here.";
  }
}
