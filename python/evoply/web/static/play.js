// The game on the table: what a person does becomes requests, what the server tells becomes a board.

import { get, live, post } from "./api.js";
import { Board } from "./board.js";
import { say, trying } from "./messages.js";
import { startNewGame } from "./new-game.js";
import { startReview } from "./review.js";
import { startXray } from "./xray.js";

const at = (id) => document.getElementById(id);
const NAMES = { black: "Black", white: "White" };
const OTHER = { black: "white", white: "black" };

let game = null; // the latest GameState
let told = 0; // when it was told, by performance.now()
let hearing = () => {};
let shownPly = null; // null: the latest position
let selected = []; // squares of a move that is being entered
let values = null; // what moves are worth at this version and ply: {version, ply, answer}
let isValued = false; // whether values are to be shown at every turn
let isAsking = false;
let reviewed = () => {}; // hears of every change, review.js
let xrayed = null; // what the squares are worth to a player, xray.js
let setUp = null; // the board that is being set up, by new-game.js

let form = null; // the form of a new game, once the view was shown

const board = new Board(at("board"), choose);

// Show what an address names: a game, moves of a link, or else the game that is on the table.
export function showPlay(hash) {
  if (form === null) start();
  const id = /^#game=([0-9a-f]{32})$/.exec(hash)?.[1];
  const link = /^#link=([a-z0-9-]+),(.*)$/s.exec(hash);
  if (id && id === game?.id) return;
  if (id) trying(async () => open(await get(`/api/games/${id}`))).then((found) => found ?? form.begin());
  else if (link) form.begin({ game: link[1], position: decodeURIComponent(link[2]), white: "person" });
  else if (game === null) form.begin();
  else history.replaceState(null, "", `#game=${game.id}`);
}

function start() {
  for (const [id, work] of [["undo", undo], ["hint", hint], ["values", toggleValues],
    ["xray", () => xrayed.toggle()], ["take-over", takeOver], ["back", () => step(-1)], ["forward", () => step(1)],
    ["play-on", playOn]]) at(id).addEventListener("click", () => trying(work));
  at("copy").addEventListener("change", () => trying(copy));
  document.addEventListener("keydown", pressed);
  setInterval(showClocks, 200);
  form = startNewGame({ open, setUpBoard });
  xrayed = startXray({ game: () => game, ply, adviser: () => form.adviser(game.game), redraw: () => show() });
  reviewed = startReview({
    game: () => game,
    judge: () => form.adviser(game.game),
    look: (count, marked) => {
      showPly(count);
      showWays(marked);
    },
  });
}

function open(state) {
  hearing();
  game = null;
  hearing = live(state.id, heard);
  history.replaceState(null, "", `#game=${state.id}`);
  [shownPly, selected, values, setUp] = [null, [], null, null];
  at("copied").hidden = true;
  heard(state);
  return state;
}

function heard(state) {
  if (game !== null && (state.id !== game.id || state.version < game.version)) return;
  const isNews = game === null || state.version !== game.version;
  const more = game === null ? 0 : state.moves.length - game.moves.length;
  game = state;
  told = performance.now();
  if (!isNews) return;
  for (const option of at("copy").options) option.hidden = option.disabled = !["", "link", ...state.forms].includes(option.value);
  if (shownPly !== null && shownPly >= state.moves.length) shownPly = null;
  selected = [];
  if (more !== 0) hideAdvice();
  show(more > 0 && shownPly === null ? state.moves.slice(-more).find((one) => one.path.length)?.path ?? null : null);
  reviewed(game);
  if (isValued) trying(askValues);
}

// Where we are.

const ply = () => shownPly ?? game.moves.length;
const isLatest = () => shownPly === null;
const person = (color) => game[color].player === "person";
const isMine = () => isLatest() && !game.is_over && person(game.turn) && setUp === null;
const cells = (count) => (count === 0 ? game.start : game.moves[count - 1].cells);
const label = (color) => (person(color) && person(OTHER[color]) ? NAMES[color] : game[color].label);

// The legal moves that go on from the squares that were chosen so far.
function fitting() {
  return game.legal.filter((move) => selected.every((square, index) => move.path[index] === square));
}

function targets() {
  if (!isMine()) return [];
  const moves = fitting();
  const count = selected.length;
  const next = moves.map((move) => move.path[count]);
  // A capture may also be named by where it ends.
  if (count) next.push(...moves.map((move) => move.path.at(-1)));
  return [...new Set(next.filter((square) => square !== undefined))];
}

function choose(square) {
  if (setUp !== null) {
    setUp.put(square);
    show();
    return;
  }
  if (game === null || !isMine()) return;
  if (selected.length && selected.at(-1) === square) {
    selected = [];
    show();
    return;
  }
  const candidates = fitting().filter((move) => move.path[selected.length] === square);
  const ending = selected.length ? fitting().filter((move) => move.path.at(-1) === square) : [];
  const whole = candidates.filter((move) => move.path.length === selected.length + 1);
  const chosen = whole.length === 1 ? whole[0] : ending.length === 1 ? ending[0] : null;
  if (chosen !== null) {
    selected = [];
    trying(() => play(chosen));
    return;
  }
  if (candidates.length) selected = [...selected, square];
  else if (game.legal.some((move) => move.path[0] === square)) selected = [square];
  else if (selected.length) selected = [];
  else at("status").textContent = `${game.squares[square] || "This square"} is not a legal move. ${statusText()}`;
  show();
}

async function play(move) {
  heard(await post(`/api/games/${game.id}/moves`, { move: move.text, ply: game.moves.length }));
}

async function undo() {
  shownPly = null;
  heard(await post(`/api/games/${game.id}/undo`, {}));
}

async function playOn() {
  const to = ply();
  shownPly = null;
  heard(await post(`/api/games/${game.id}/undo`, { to_ply: to }));
}

async function takeOver() {
  const mine = ["black", "white"].filter(person);
  // With one side of ours the sides are exchanged; otherwise whoever is to move becomes us.
  const asked = mine.length === 1
    ? { [mine[0]]: game[OTHER[mine[0]]].player, [OTHER[mine[0]]]: "person" }
    : { [game.turn]: person(game.turn) ? at(game.turn).value : "person" };
  heard(await post(`/api/games/${game.id}/seats`, asked));
}

// What moves are worth.

async function askValues() {
  if (isAsking || !isMine()) return null;
  const [id, version] = [game.id, game.version];
  if (values?.version === version && values.id === id) return values.answer;
  isAsking = true;
  try {
    const answer = await post(`/api/games/${id}/values`, {});
    if (game.id !== id || game.version !== version) return null;
    values = { id, version, answer };
    show();
    return answer;
  } finally {
    isAsking = false;
  }
}

async function hint() {
  if (!isMine()) {
    say(game.is_over ? "The game is over." : "It is not your turn.");
    return;
  }
  at("status").textContent = "Thinking about a hint…";
  const answer = await askValues();
  at("status").textContent = statusText();
  if (answer === null) return;
  const worth = answer.moves.length ? ` (${answer.moves[0].text})` : "";
  const depth = answer.depth ? `, looking ${answer.depth} ${answer.depth === 1 ? "ply" : "plies"} ahead` : "";
  showAdvice(`${answer.player} would play ${answer.best}${worth}${depth}. ${answer.why ?? ""}`);
  const best = game.legal.find((move) => move.text === answer.best)
    ?? answer.moves.find((move) => move.move === answer.best);
  if (best) showWays([{ path: best.path, kind: "best" }]);
}

async function toggleValues() {
  isValued = !isValued;
  at("values").setAttribute("aria-pressed", String(isValued));
  if (isValued) await askValues();
  show();
}

function showAdvice(text) {
  at("advice").textContent = text;
  at("advice").hidden = false;
}

function hideAdvice() {
  at("advice").hidden = true;
  ways = [];
}

let ways = [];
function showWays(marked) {
  ways = marked;
  show();
}

// What is seen.

// A value as a square has room for it: "-0.02745" is "-.027" there.
function shortened(text) {
  const number = Number(text);
  if (text.length <= 5 || !Number.isFinite(number)) return text;
  return Math.abs(number) < 1 ? number.toFixed(3).replace("0.", ".") : number.toPrecision(3);
}

function show(move = null) {
  if (game === null) return;
  const last = ply() === 0 ? [] : game.moves[ply() - 1].path;
  const worth = new Map();
  const isFresh = isValued && values?.version === game.version && values.id === game.id && isLatest();
  if (isFresh) {
    // In checkers several moves may end on a square: the best of them counts.
    for (const one of [...values.answer.moves].reverse()) {
      worth.set(one.path.at(-1), { text: shortened(one.text), isBest: one.loss === 0 });
    }
  }
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
    values: setUp === null ? worth : new Map(),
    heat: setUp === null ? heatOf(xrayed.heat()) : new Map(),
    ways: setUp === null ? ways : [],
    name: `${game.title}, ${statusText()}`,
  }, move);
  for (const color of ["black", "white"]) showSide(color);
  showStatus();
  showMoves();
  showClocks();
  // What is on the board, for programs that look at the page.
  at("board").dataset.state = `${game.version}:${ply()}:${selected.join(" ")}`;
  xrayed.shown();
}

// Numbers of squares with how strong they are beside the others, from -1 to 1.
function heatOf(numbers) {
  const most = Math.max(1e-300, ...[...numbers.values()].map(Math.abs));
  // As many decimals as all of them need, and no more than the largest leaves room for.
  const room = Math.max(0, Math.min(3, 2 - Math.floor(Math.log10(most))));
  let digits = 0;
  while (digits < room && [...numbers.values()].some((value) => Math.abs(Number(value.toFixed(digits)) - value) > 1e-9 * most)) digits += 1;
  return new Map([...numbers].map(([square, value]) => [square, {
    text: shortened(value.toFixed(digits)).replace(/^-0(\.0*)?$/, "0").replace("-", "\u2212"), strength: value / most,
  }]));
}

function showSide(color) {
  const side = at(`side-${color}`);
  const letters = color === "black" ? "bB" : "wW";
  const shown = setUp === null ? cells(ply()) : setUp.cells();
  const pieces = isLatest() && setUp === null
    ? game[color].pieces_in_words : [...shown].filter((one) => letters.includes(one)).length;
  const stone = document.createElement("span");
  stone.className = `stone ${color}`;
  const name = document.createElement("b");
  name.textContent = `${NAMES[color]}: ${person(color) ? "you" : game[color].label}`;
  const parts = [stone, name];
  if (game.clock !== null) {
    const time = document.createElement("span");
    time.className = "time";
    time.dataset.color = color;
    parts.push(time);
  }
  const total = document.createElement("span");
  total.className = "count";
  total.textContent = pieces;
  side.replaceChildren(...parts, total);
  const turn = setUp === null ? game.turn : setUp.turn();
  side.classList.toggle("turn", isLatest() && (!game.is_over || setUp !== null) && turn === color);
}

function statusText() {
  if (setUp !== null) return "Choose what to put, then squares. Begin plays from there.";
  if (game.trouble) return `A player cannot go on: ${game.trouble}. Take over, or begin another game.`;
  if (!isLatest()) return `After ${ply()} of ${game.moves.length} plies.`;
  const lastMove = game.moves.at(-1);
  const passed = lastMove && !lastMove.path.length ? `${NAMES[lastMove.color]} has no move and passes. ` : "";
  if (game.is_over) return `${passed}The game is over: ${game.result}.`;
  if (game.is_thinking) return `${passed}${label(game.turn)} is thinking…`;
  if (selected.length) return "Now choose where it goes.";
  return `${passed}${NAMES[game.turn]} to move${person(OTHER[game.turn]) ? "" : ": your turn"}.`;
}

function showStatus() {
  const text = statusText();
  // Said again only if it is something else: screen readers read every change.
  if (at("status").textContent !== text) at("status").textContent = text;
  at("undo").disabled = game.moves.length === 0;
  at("hint").disabled = at("values").disabled = !isMine();
  at("back").disabled = ply() === 0;
  at("forward").disabled = isLatest();
  at("play-on").hidden = isLatest();
}

function showMoves() {
  const list = at("moves");
  const rows = game.moves.map((move, index) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    const number = document.createElement("span");
    number.className = "number";
    number.textContent = `${index + 1}.`;
    button.append(number, ` ${move.text}`);
    if (index + 1 === ply()) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => showPly(index + 1));
    item.append(button);
    return item;
  });
  list.replaceChildren(...rows);
  const current = list.querySelector("[aria-current]");
  if (current) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2;
}

function clockText(seconds) {
  const tenths = Math.max(0, Math.floor(seconds * 10));
  const whole = `${Math.floor(tenths / 600)}:${String(Math.floor((tenths % 600) / 10)).padStart(2, "0")}`;
  return tenths < 200 ? `${whole}.${tenths % 10}` : whole;
}

function showClocks() {
  if (game === null || game.clock === null) return;
  for (const place of document.querySelectorAll(".side .time")) {
    const { color } = place.dataset;
    const spent = game.running === color ? (performance.now() - told) / 1000 : 0;
    place.textContent = clockText(game[color].seconds_left - spent);
  }
}

function showPly(count) {
  shownPly = count >= game.moves.length ? null : Math.max(0, count);
  selected = [];
  ways = [];
  show(isLatest() || count < 1 ? null : game.moves[count - 1].path);
}

const step = (by) => showPly(ply() + by);

function setUpBoard(editing) {
  setUp = editing;
  if (game !== null) show();
}

async function copy() {
  const form = at("copy").value;
  at("copy").value = "";
  if (!form) return;
  const text = form === "link"
    ? `${location.origin}/#link=${game.game},${encodeURIComponent(game.moves.length ? game.transcript : game.start_text)}`
    : await get(`/api/games/${game.id}/copy?form=${form}`);
  const box = at("copied");
  box.value = typeof text === "string" ? text : JSON.stringify(text);
  box.hidden = false;
  box.select();
  try {
    await navigator.clipboard.writeText(box.value);
    at("status").textContent = "Copied.";
  } catch {
    at("status").textContent = "Copy it from here.";
  }
}

function pressed(event) {
  const isTyping = event.target.closest("input, textarea, select") !== null;
  if (game === null || at("view-play").hidden || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const work = { u: undo, h: hint, v: toggleValues, x: () => xrayed.toggle(), Escape: () => { selected = []; show(); } }[
    event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (work === undefined) return;
  event.preventDefault();
  trying(work);
}
