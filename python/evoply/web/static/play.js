// The game on the table: what a person does becomes requests, what the server tells becomes a board.

import { get, live, post } from "./api.js";
import { Board } from "./board.js";
import { startCoach } from "./coach.js";
import { copyGame, offerForms } from "./copy.js";
import { agreed } from "./dialog.js";
import { make } from "./dom.js";
import { entered, nextSquares } from "./entering.js";
import { startLine } from "./line.js";
import { say, trying } from "./messages.js";
import { at, isAtMachine, isShortcut, NAMES, numberOf, OTHER } from "./names.js";
import { startNewGame } from "./new-game.js";
import { whyNot } from "./refusals.js";
import { startReview } from "./review.js";
import { inRoom, isFull, isOwn, seat, seated, showRoom, turnText } from "./room.js";
import { setWish, wish } from "./settings.js";
import { placeSides, showClocks, showSide } from "./sides.js";
import { click } from "./sound.js";
import { startXray } from "./xray.js";

let game = null; // the latest GameState
let told = 0; // when it was told, by performance.now()
let hearing = () => {};
let lost = ""; // why the game can no longer be gone on with
let shownPly = null; // null: the latest position
let selected = []; // squares of a move that is being entered
let isSending = false; // a move of ours is on its way
let note = ""; // what is said before the status, until something happens
let marked = { place: "", ways: [] }; // rings around squares, of one board
let isFlipped = false;
let setUp = null; // the board that is being set up, by new-game.js

// Made when the view is shown first.
let form = null; // a new game
let coach = null; // hints and values
let line = null; // a better line on the board
let review = null;
let xrayed = null; // what the squares are worth to a player

const board = new Board(at("board"), choose);

// Show what an address names: a game, moves of a link, or else the game that is on the table.
export function showPlay(hash) {
  if (form === null) start();
  const id = /^#game=([0-9a-f]{32})$/.exec(hash)?.[1];
  const link = /^#link=([a-z0-9-]+),(.*)$/s.exec(hash);
  const code = /^#room=([a-z0-9]{6})$/.exec(hash)?.[1];
  if (id && id === game?.id) return;
  if (id || code) {
    trying(async () => open(code ? await inRoom(code) : await seated(await get(`/api/games/${id}`))))
      .then((found) => found ?? (game === null && form.begin()));
  } else if (link) form.begin({ game: link[1], position: decodeURIComponent(link[2]), white: "person" });
  else if (game === null || lost) form.begin();
  else history.replaceState(null, "", `#game=${game.id}`);
}

function start() {
  const table = {
    game: () => game, ply, place, canAsk, isLatest, mark, redraw: show, adviser: () => form.adviser(game.game),
    // A game that was played elsewhere, on the table; null if the one that is there stays.
    paste: async (text) => ((await mayDrop())
      ? form.begin({ black: "person", white: "person", clock: null, position: text, board: null }) : null),
    async look(count, ways, moves) {
      showPly(count);
      mark(ways);
      at("board").scrollIntoView({ block: "nearest" });
      if (moves.length) await line.show(count, moves);
    },
  };
  form = startNewGame({ open, setUpBoard, mayDrop });
  [coach, line, review, xrayed] = [startCoach(table), startLine(table), startReview(table), startXray(table)];
  for (const [id, work] of [["undo", undo], ["hint", coach.hint], ["values", coach.toggle], ["choice", coach.choice],
    ["xray", xrayed.toggle], ["take-over", takeOver], ["resign", resign], ["flip", flip], ["rematch", rematch],
    ["back", () => step(-1)], ["forward", () => step(1)], ["play-on", playOn]]) at(id).addEventListener("click", () => trying(work));
  at("join").addEventListener("submit", (event) => {
    event.preventDefault();
    trying(async () => {
      if (!await mayDrop()) return;
      location.hash = `#room=${at("room-code").value.trim().toLowerCase()}`;
      at("room-code").value = "";
      at("board").scrollIntoView({ block: "nearest" });
    });
  });
  at("copy").addEventListener("change", () => trying(async () => { note = await copyGame(game); showStatus(); }));
  document.addEventListener("keydown", pressed);
  for (const [name, usual] of [["sound", false], ["keys", true]]) {
    const box = at(`wish-${name}`);
    box.checked = wish(name, usual);
    box.addEventListener("change", () => { setWish(name, box.checked); showKeys(); });
  }
  showKeys();
  setInterval(() => showClocks(game, told), 200);
  form.offerChampions();
}

function open(state, { isFollowed = true } = {}) {
  hearing();
  [game, lost] = [null, ""];
  hearing = live(state.id, heard, (reason) => {
    lost = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
    show();
  });
  history.replaceState(null, "", `#game=${state.id}`);
  [shownPly, selected, setUp, note] = [null, [], null, ""];
  line.leave();
  // What went wrong before, and what was said of another game.
  say("");
  at("said").textContent = "";
  at("copied").hidden = true;
  if (isFollowed) form.follow(state);
  heard(state);
  return state;
}

function heard(state) {
  if (game !== null && (state.id !== game.id || state.version < game.version)) return;
  const isNews = game === null || state.version !== game.version;
  const more = game === null ? 0 : state.moves.length - game.moves.length;
  // Which seat is ours is told only when we ask with our secret.
  game = { ...state, mine: state.mine ?? (game?.id === state.id ? game.mine : null) };
  told = performance.now();
  if (!isNews) return;
  offerForms(game);
  if (more < 0) line.leave();
  if (shownPly !== null && shownPly >= state.moves.length && !line.isOn()) shownPly = null;
  [selected, note] = [[], ""];
  const added = more > 0 ? state.moves.slice(-more) : [];
  show(isLatest() ? added.find((one) => one.path.length)?.path ?? null : null);
  announce(added);
  review.heard(game);
}

// Say the moves that others have made to those who cannot see them, and click.
function announce(moves) {
  const others = moves.filter((move) => !isOwn(game, move.color));
  if (moves.length) click(others.length > 0);
  if (others.length) {
    at("said").textContent = others.map((move) => (move.path.length
      ? `${NAMES[move.color]} plays ${move.text}.` : `${NAMES[move.color]} has no move and passes.`)).join(" ");
  }
}

// Where we are.

const ply = () => shownPly ?? game.moves.length;
const isLatest = () => shownPly === null && !line.isOn();
const person = (color) => game[color].player === "person";
const isMine = () => isLatest() && !game.is_over && !lost && !isSending && isOwn(game, game.turn) && setUp === null && (!game.room || isFull(game));
// While two people play each other nobody is helped.
const isHelped = () => !game.room || game.is_over;
// Of other boards than the latest anything may be asked, of that one when it is our turn.
const canAsk = () => isHelped() && !lost && setUp === null && !line.isMoved() && (ply() < game.moves.length || isMine());
const cells = (count) => (line.isMoved() ? line.cells() : count === 0 ? game.start : game.moves[count - 1].cells);
const label = (color) => (person(color) && person(OTHER[color]) ? NAMES[color] : game[color].label);
// The board that is shown, as a text that no other board has: what was asked about one is not shown on another.
const place = () => `${game.id} ${game.moves.slice(0, ply()).map((one) => one.text)} ${line.isMoved() ? line.count() : ""}`;

const targets = () => (isMine() ? nextSquares(game.legal, selected) : []);

function choose(square) {
  if (setUp !== null) {
    setUp.put(square);
    show();
    return;
  }
  if (game === null) return;
  note = "";
  if (!isMine()) {
    if (!isLatest()) note = "This is another board: go on to the latest move, or play on from here.";
    else if (game.is_thinking || isSending) note = "Wait for the answer.";
    else if (game.room && !game.is_over) note = game.mine === null ? "You are watching." : "Wait for the other player.";
    showStatus();
    return;
  }
  const found = entered(game.legal, selected, square);
  if (found?.move) {
    selected = [];
    trying(() => play(found.move));
    return;
  }
  if (found) selected = found.selected;
  else note = whyNot(game, square, selected);
  show();
}

// What is done.

async function play(move) {
  isSending = true;
  show();
  try {
    heard(await post(`/api/games/${game.id}/moves`, { move: move.text, ply: game.moves.length, ...mySeat() }));
  } finally {
    // The answer of the opponent may have been heard before that of the server.
    isSending = false;
    show();
  }
}

const mySeat = () => (game.room ? { seat: seat() } : {});

async function undo() {
  line.leave();
  shownPly = null;
  heard(await post(`/api/games/${game.id}/undo`, {}));
}

// Another game goes on from the board that is shown: this one stays as it is.
async function playOn() {
  open(await post(`/api/games/${game.id}/again`, line.isMoved() ? line.played() : { ply: ply() }));
}

async function rematch() {
  open(await post(`/api/games/${game.id}/again`, {}));
}

async function takeOver() {
  const mine = ["black", "white"].filter(person);
  if (mine.length === 2) {
    say("Both sides are yours already. To leave one to a player, choose it under New game.");
    return;
  }
  // With one side of ours the sides are exchanged; with none whoever is to move becomes us.
  const asked = mine.length === 1
    ? { [mine[0]]: game[OTHER[mine[0]]].player, [OTHER[mine[0]]]: "person" } : { [game.turn]: "person" };
  const state = await post(`/api/games/${game.id}/seats`, asked);
  heard(state);
  form.follow(state);
}

async function resign() {
  const color = game.mine ?? (person(game.turn) ? game.turn : OTHER[game.turn]);
  const { id } = game;
  if (await agreed(`Give up this game as ${NAMES[color]}?`, "Resign", "Play on")) {
    heard(await post(`/api/games/${id}/resign`, { color, ...mySeat() }));
  }
}

// Whether the game on the table may be left; asked only if a person has moved and it is not over.
async function mayDrop() {
  if (game === null || lost || game.is_over || !game.moves.some((move) => move.path.length && isOwn(game, move.color))) return true;
  const where = isAtMachine ? "It stays under Games, where you can go on with it." : "Its address, as it is now, leads back to it.";
  return agreed(`This game is not over. Begin another one? ${where}`,
    "Begin another", "Go on with this one");
}

function flip() {
  isFlipped = !isFlipped;
  at("flip").setAttribute("aria-pressed", String(isFlipped));
  placeSides(isFlipped);
  show();
}

function mark(ways) {
  marked = { place: place(), ways };
  show();
}

// What is seen.

function show(move = null) {
  if (game === null) return;
  const last = line.isMoved() ? line.last() : ply() === 0 ? [] : game.moves[ply() - 1].path;
  const values = coach.marks();
  board.show({
    rows: game.rows,
    columns: game.columns,
    squares: game.squares,
    labels: game.labels,
    drawn: game.drawn,
    cells: setUp === null ? cells(ply()) : setUp.cells(),
    turn: game.turn,
    last: setUp === null ? last : [],
    selected,
    targets: setUp === null ? targets() : game.squares.map((name, square) => (name ? square : -1)).filter((one) => one >= 0),
    isEdited: setUp !== null,
    isFlipped,
    values: setUp === null ? values : new Map(),
    heat: setUp === null && !line.isMoved() ? xrayed.heat() : new Map(),
    ways: setUp === null && marked.place === place() ? marked.ways : [],
    name: `${game.title}, ${statusText()}`,
  }, move);
  for (const color of ["black", "white"]) {
    const letters = color === "black" ? "bB" : "wW";
    const shown = setUp === null ? cells(ply()) : setUp.cells();
    showSide(game, color, {
      count: isLatest() && setUp === null ? game[color].pieces_in_words : [...shown].filter((one) => letters.includes(one)).length,
      isTurn: isLatest() && (!game.is_over || setUp !== null) && (setUp === null ? game.turn : setUp.turn()) === color,
    });
  }
  showStatus();
  showRoom(game);
  showMoves();
  showClocks(game, told);
  // What is on the board, for programs that look at the page.
  at("board").dataset.state = `${game.version}:${ply()}:${selected.join(" ")}`;
  if (isHelped()) xrayed.shown();
  trying(coach.follow);
}

function statusText() {
  if (setUp !== null) return "Choose what to put, then squares. Begin plays from there.";
  if (lost) return lost;
  if (game.trouble) return `A player cannot go on: ${game.trouble}. Take over, or begin another game.`;
  if (line.isMoved()) return `The better line: move ${line.count()} of ${line.length()}, from move ${numberOf(game.moves, ply()) + 1} on.`;
  if (line.isOn()) return `Before move ${numberOf(game.moves, ply()) + 1} of ${numberOf(game.moves)}: ▶ plays the better line.`;
  if (!isLatest()) return `After ${numberOf(game.moves, ply())} of ${numberOf(game.moves)} moves.`;
  const lastMove = game.moves.at(-1);
  const passed = lastMove && !lastMove.path.length ? `${NAMES[lastMove.color]} has no move and passes. ` : "";
  if (game.is_over) return `${passed}The game is over: ${game.result}.`;
  if (game.is_thinking) return `${passed}${label(game.turn)} is thinking…`;
  if (selected.length) return "Now choose where it goes.";
  if (game.room) return `${passed}${turnText(game)}`;
  return `${passed}${NAMES[game.turn]} to move${person(OTHER[game.turn]) ? "" : ": your turn"}.`;
}

function showStatus() {
  const text = `${note}${note && " "}${statusText()}`;
  // Said again only if it is something else: screen readers read every change.
  if (at("status").textContent !== text) at("status").textContent = text;
  const isPlayed = ["black", "white"].some((color) => isOwn(game, color)) && (!game.room || isFull(game));
  for (const id of ["undo", "take-over"]) at(id).hidden = Boolean(game.room);
  for (const id of ["hint", "values", "choice", "xray", "review"]) at(id).hidden = !isHelped();
  at("undo").disabled = game.moves.length === 0 || lost !== "";
  at("hint").disabled = at("values").disabled = !canAsk();
  at("choice").disabled = game.is_over || !isLatest() || !["black", "white"].some((color) => !person(color));
  at("resign").disabled = game.is_over || lost !== "" || !isPlayed;
  at("rematch").hidden = !game.is_over || Boolean(game.room);
  at("resign").hidden = game.is_over || (game.room && game.mine === null);
  const isBoth = person("black") && person("white");
  at("take-over").setAttribute("aria-disabled", String(isBoth));
  at("take-over").title = isBoth ? "Both sides are yours already" : "";
  at("back").disabled = ply() === 0 && !line.isMoved();
  at("forward").disabled = isLatest() || (line.isOn() && line.count() === line.length());
  at("play-on").hidden = isLatest() || lost !== "" || !isHelped();
}

function showMoves() {
  const list = at("moves");
  list.replaceChildren(...game.moves.map((move, index) => make("li", {}, make("button", {
    type: "button", "aria-current": index + 1 === ply() ? "true" : null, click: () => showPly(index + 1),
  }, make("span", { class: "number" }, move.path.length ? `${numberOf(game.moves, index + 1)}.` : ""), ` ${move.text}`))));
  const current = list.querySelector("[aria-current]");
  if (current) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2;
}

function showPly(count) {
  line.leave();
  shownPly = count >= game.moves.length ? null : Math.max(0, count);
  [selected, note] = [[], ""];
  show(isLatest() || count < 1 ? null : game.moves[count - 1].path);
  review.shown();
}

// Within a better line, one move of it; before its first, or without one, a move of the game.
function step(by) {
  if (line.isOn() && (by > 0 || line.isMoved())) line.step(by);
  else showPly(ply() + by);
}

function setUpBoard(editing) {
  setUp = editing;
  if (game !== null) show();
}

function showKeys() {
  document.body.classList.toggle("no-keys", !wish("keys", true));
}

function pressed(event) {
  if (game === null || at("view-play").hidden || !isShortcut(event)) return;
  if (event.key === "Escape") {
    [selected, note] = [[], ""];
    show();
    return;
  }
  const id = { u: "undo", h: "hint", v: "values", w: "choice", x: "xray" }[event.key.length === 1 ? event.key.toLowerCase() : ""];
  if (id === undefined || !wish("keys", true)) return;
  event.preventDefault();
  if (at(id).disabled || at(id).hidden) say(`${at(id).textContent}: not now.`);
  else at(id).click();
}
