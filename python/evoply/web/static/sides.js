// Who plays above and below the board, what they have, and their clocks.

import { make } from "./dom.js";
import { at, NAMES } from "./names.js";
import { whoPlays } from "./room.js";

function clockText(seconds) {
  const tenths = Math.max(0, Math.floor(seconds * 10));
  const whole = `${Math.floor(tenths / 600)}:${String(Math.floor((tenths % 600) / 10)).padStart(2, "0")}`;
  return tenths < 200 ? `${whole}.${tenths % 10}` : whole;
}

// Show a side: `count` is what it has, in words, `isTurn` whether it is to move.
export function showSide(game, color, { count, isTurn }) {
  const side = at(`side-${color}`);
  const who = whoPlays(game, color);
  side.replaceChildren(
    make("span", { class: `stone ${color}` }),
    make("b", { title: who }, `${NAMES[color]}: ${who}`),
    ...(game.clock === null ? [] : [make("span", { class: "time", "data-color": color })]),
    make("span", { class: "count" }, String(count)));
  side.classList.toggle("turn", isTurn);
}

// `told` is when the game was told, by performance.now().
export function showClocks(game, told) {
  if (game === null || game.clock === null) return;
  for (const place of document.querySelectorAll(".side .time")) {
    const { color } = place.dataset;
    const spent = game.running === color ? (performance.now() - told) / 1000 : 0;
    place.textContent = clockText(game[color].seconds_left - spent);
  }
}

// White is above, as in diagrams, or below on a flipped board.
export function placeSides(isFlipped) {
  const [above, below] = isFlipped ? ["black", "white"] : ["white", "black"];
  at("board").before(at(`side-${above}`));
  at("board").after(at(`side-${below}`));
}
