// My games: a list of those that were played here, newest first, to search, open, play again, delete.

import { get, post, remove } from "./api.js";
import { agreed } from "./dialog.js";
import { make, table } from "./dom.js";
import { say, trying } from "./messages.js";
import { moment } from "./words.js";

const place = document.getElementById("view-games");
const PAUSE = 250; // ms after the last key of a search

let found = []; // games of the list
let more = false;
let asked = 0; // a later search ends an earlier one
let timer = 0;

const search = make("input", { type: "search", id: "games-search", placeholder: "player, game or day, such as 2026-11-27", input: () => {
  clearTimeout(timer);
  timer = setTimeout(() => trying(load), PAUSE);
} });
const which = make("select", { id: "games-game", change: () => trying(load) });
const list = make("div", { id: "games-list" });
const count = make("p", { class: "note", role: "status", "aria-live": "polite" });

export function show() {
  if (!place.childElementCount) {
    place.replaceChildren(
      make("div", { class: "head" }, make("h2", {}, "My games"),
        make("a", { class: "button", id: "games-download", href: "/api/games/download", download: "evoply-games.jsonl" }, "Download all")),
      make("div", { class: "finders" }, make("label", {}, "Search ", search), make("label", {}, "Game ", which)),
      list, count);
    which.replaceChildren(new Option("all games", ""));
    trying(async () => which.append(...(await get("/api/rules")).map((one) => new Option(one.title, one.game))));
  }
  return trying(load);
}

async function load(isMore = false) {
  asked += 1;
  const mine = asked;
  const words = new URLSearchParams({ search: search.value, played: "true", offset: String(isMore ? found.length : 0) });
  if (which.value) words.set("game", which.value);
  const answer = await get(`/api/games?${words}`);
  if (mine !== asked) return;
  found = isMore ? [...found, ...answer.games] : answer.games;
  more = answer.more;
  paint();
}

const vs = (game) => `${game.title}, ${game.black_label} against ${game.white_label}`;

// Games of the same players are told apart by when they were begun.
const named = (game) => `${vs(game)}, begun ${moment(game.created)}`;

function paint() {
  const button = (text, game, work) => make("button", { type: "button", "aria-label": `${text}: ${named(game)}`, click: () => trying(() => work(game)) }, text);
  const rows = found.map((game) => [
    make("a", { href: `#game=${game.id}`, "aria-label": `Open: ${named(game)}` }, moment(game.created)),
    game.title,
    game.black_label,
    game.white_label,
    String(game.count),
    game.result ?? (game.is_over ? "over" : "goes on"),
    make("span", { class: "tools" }, button("Rematch", game, rematch), button("Delete", game, erase)),
  ]);
  list.replaceChildren(...(rows.length
    ? [table(["begun", "game", "Black", "White", "moves", "result", ""], rows, "My games, the newest first")] : []));
  if (more) list.append(make("button", { type: "button", id: "games-more", click: () => trying(() => load(true)) }, "Show more"));
  const isSearch = search.value.trim() || which.value;
  count.textContent = rows.length ? `${rows.length}${more ? " of more" : ""} ${rows.length === 1 ? "game" : "games"}.`
    : isSearch ? "No game has all these words." : "No game has a move yet.";
}

async function rematch(game) {
  location.hash = `#game=${(await post(`/api/games/${game.id}/again`, {})).id}`;
}

async function erase(game) {
  if (!await agreed(`Delete this game for good? ${named(game)}, ${game.count} moves.`, "Delete", "Keep it")) return;
  await remove(`/api/games/${game.id}`);
  found = found.filter((one) => one.id !== game.id);
  paint();
  search.focus();
  say("The game was deleted.");
}
