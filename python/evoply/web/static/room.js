// Rooms: games of two people on different devices. A browser has one secret, by which it comes back
// to its seats; the code of a room is for everybody.

import { get, post } from "./api.js";
import { copied } from "./copy.js";
import { make, renew } from "./dom.js";
import { trying } from "./messages.js";
import { at, NAMES, origin, OTHER } from "./names.js";

const KEY = "evoply-seat";
let secret = null;

export function seat() {
  try {
    secret ??= localStorage.getItem(KEY);
  } catch {
    // Nothing is kept here: the seat lasts as long as the page.
  }
  if (secret === null) {
    secret = [...crypto.getRandomValues(new Uint8Array(16))].map((one) => one.toString(16).padStart(2, "0")).join("");
    try {
      localStorage.setItem(KEY, secret);
    } catch {
      // As above.
    }
  }
  return secret;
}

// A game that somebody opens: in a room they come back to their seat, or take a free one, or watch.
export async function seated(game) {
  return game.room ? post(`/api/games/${game.id}/seat`, { seat: seat() }) : game;
}

export const inRoom = async (code) => seated(await get(`/api/rooms/${code}`));

export const isFull = (game) => game.room.taken.length === 2;

// Whether the side is one that is moved here.
export const isOwn = (game, color) => (game.room ? game.mine === color : game[color].player === "person");

// Who plays a side, in short.
export function whoPlays(game, color) {
  if (!game.room) return game[color].player === "person" ? "you" : game[color].label;
  if (game.mine === color) return "you";
  return game.room.taken.includes(color) ? "another player" : "nobody yet";
}

// Whose turn it is, as it is said to players and to those who watch.
export function turnText(game) {
  if (!isFull(game)) return "Waiting for the other player.";
  if (game.mine === null) return `${NAMES[game.turn]} to move. You are watching.`;
  return `${NAMES[game.turn]} to move${game.mine === game.turn ? ": your turn" : ""}.`;
}

export function showRoom(game) {
  at("room").hidden = !game.room || game.is_over;
  if (at("room").hidden) return;
  const link = `${origin}/#room=${game.room.code}`;
  renew(at("room"), { link, isFull: isFull(game), mine: game.mine }, () => [
    make("span", {}, isFull(game) ? "Others can watch here: " : `Whoever opens this first plays ${NAMES[OTHER[game.mine ?? game.room.taken[0]]]}: `),
    make("a", { href: link, id: "room-link" }, link.replace("http://", "")),
    make("button", { type: "button", click: (event) => trying(async () => { event.target.textContent = await copied(link); }) }, "Copy"),
    make("span", {}, ` Room code: ${game.room.code}`),
  ]);
}
