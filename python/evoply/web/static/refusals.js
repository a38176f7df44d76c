// Why a click does nothing, in a sentence. The page knows no rules: it looks at the legal moves.

import { fitting } from "./entering.js";
import { NAMES } from "./names.js";

const MOST_NAMED = 6;

function listed(game, squares) {
  const names = [...new Set(squares)].map((square) => game.squares[square]);
  const some = names.slice(0, MOST_NAMED);
  if (some.length < names.length) return `${some.join(", ")} and others`;
  return some.length > 1 ? `${some.slice(0, -1).join(", ")} or ${some.at(-1)}` : some.join("");
}

// `game` is a GameState whose turn is a person's, `square` what was chosen after `selected`.
export function whyNot(game, square, selected) {
  const name = game.squares[square];
  if (!name) return "Nothing ever stands on this square.";
  const piece = game.cells[square];
  const owner = "bB".includes(piece) ? "black" : "wW".includes(piece) ? "white" : null;
  const starts = game.legal.map((move) => move.path[0]);
  const mustCapture = game.legal.every((move) => move.text.includes("x"));
  if (selected.length) {
    const from = game.squares[selected[0]];
    const next = listed(game, fitting(game.legal, selected).map((move) => move.path[selected.length]));
    return `${from} cannot go to ${name}${mustCapture ? ": you must capture, and go to" : ". It can go to"} ${next}.`;
  }
  if (game.legal.every((move) => move.path.length < 2)) {
    if (owner !== null) return `${name} is taken.`;
    // Othello is the one game here where a piece may be put only where it takes something.
    return game.game.includes("othello") ? `${name} takes nothing.` : `${name} is not a legal move.`;
  }
  if (owner !== null && owner !== game.turn) return `The piece on ${name} is ${NAMES[owner]}'s.`;
  if (mustCapture) return `${owner === null ? "" : `${name} cannot capture: `}${owner === null ? "You" : "you"} must capture with ${listed(game, starts)}.`;
  if (owner !== null) return `${name} cannot move now.`;
  return `${name} is empty: first choose the piece that is to move, ${listed(game, starts)}.`;
}
