// How a game is played: its rules in words, three tips, and its board at the start.

import { beginGame, get } from "./api.js";
import { Board } from "./board.js";
import { make } from "./dom.js";
import { trying } from "./messages.js";

const place = document.getElementById("view-rules");
const choice = make("select", { id: "rules-game", change: () => { location.hash = `#rules=${choice.value}`; } });
const words = make("div", { class: "words", "aria-live": "polite" });
const picture = make("div", { class: "book-board" });
const board = new Board(picture, () => {});

let games = [];

export async function show(hash) {
  if (!games.length) await build();
  const game = /^#rules=([a-z0-9-]+)$/.exec(hash)?.[1] ?? games[0].game;
  const text = await get(`/api/rules/${game}`);
  choice.value = game;
  board.show({ ...text.board, name: `${text.title}, the start` });
  words.replaceChildren(...told(text));
}

async function build() {
  games = await get("/api/rules");
  choice.replaceChildren(...games.map((one) => new Option(one.title, one.game)));
  place.replaceChildren(
    make("div", { class: "head" }, make("h2", {}, "Rules"), make("label", {}, "Game ", choice)),
    make("div", { class: "two" }, words, picture));
}

function told({ game, aim, moves, end, tips }) {
  const tip = (text) => {
    // The first sentence says it in short.
    const stop = text.indexOf(". ") + 1;
    return make("li", {}, make("strong", {}, text.slice(0, stop)), text.slice(stop));
  };
  return [
    make("p", { class: "aim" }, aim), make("p", {}, moves), make("p", {}, end),
    make("h3", {}, "Three tips"), make("ul", { class: "tips" }, ...tips.map(tip)),
    make("button", { type: "button", class: "begin", click: () => trying(() => begin(game)) }, "Play it"),
  ];
}

// Against a weak opponent, as the form of a new game offers it.
async function begin(game) {
  const { levels } = games.find((one) => one.game === game);
  await beginGame({ game, black: "person", white: levels[1]?.player ?? "random" });
}
