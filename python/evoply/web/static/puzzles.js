// Puzzles: a board and a task; a move is right or wrong, and its solution can be played step by step.

import { beginGame, get } from "./api.js";
import { Board } from "./board.js";
import { make } from "./dom.js";
import { entered, nextSquares } from "./entering.js";
import { trying } from "./messages.js";
import { isShortcut, OTHER } from "./names.js";

const place = document.getElementById("view-puzzles");
const button = (name, work) => make("button", { type: "button", click: () => trying(work) }, ...name);
const underlined = (letter, rest) => [make("u", {}, letter), rest];

const choice = make("select", { id: "puzzles-game", change: () => go(choice.value, 1) });
const themes = make("select", { id: "puzzles-theme", change: () => go(game, (listed().find((one) => one === puzzle()) ?? listed()[0]).number) });
const list = make("select", { id: "puzzles-number", change: () => go(game, Number(list.value)) });
const count = make("p", { class: "note", id: "puzzle-count" });
const picture = make("div", { class: "book-board" });
const board = new Board(picture, chosen);
const task = make("p", { class: "task", role: "status", "aria-live": "polite" });
const why = make("p", { class: "advice", hidden: true });
const difficulty = make("p", { class: "note", hidden: true });
const previous = button(underlined("P", "revious"), () => go(game, beside(-1)));
const next = button(underlined("N", "ext"), () => go(game, beside(1)));
const solve = button(underlined("S", "olution"), () => answer(null));
const again = button(underlined("T", "ry again"), () => open(number));
const on = button(["Play on from here"], playOn);
const lines = make("div", { class: "solution", hidden: true });

let games = [];
let game = null;
let all = []; // the puzzles of the game
let number = 1; // which of them is shown
let selected = []; // squares of a move that is being entered
let answered = null; // null: not yet; else {move, isRight}, without a move if the solution was asked for
let line = "line"; // which line is shown: that of the best move, or "second_line"
let ply = 0; // how many of its moves were played

export async function show(hash) {
  if (!games.length) await build();
  const asked = /^#puzzles=([a-z0-9-]+),([0-9]{1,4})$/.exec(hash);
  const wanted = asked?.[1] ?? game ?? (games.find((one) => one.game === "othello") ?? games[0]).game;
  if (wanted !== game) {
    all = await get(`/api/puzzles/${wanted}`);
    game = wanted;
    choice.value = game;
    const names = [...new Set(all.map((one) => one.theme))].sort();
    themes.replaceChildren(new Option("all", ""), ...names.map((name) => new Option(name)));
  }
  open(Math.min(Math.max(1, Number(asked?.[2] ?? firstOpen())), all.length));
}

function go(to, which) {
  const hash = `#puzzles=${to},${which}`;
  if (location.hash === hash) open(which);
  else location.hash = hash;
}

async function build() {
  games = await get("/api/puzzles");
  choice.replaceChildren(...games.map((one) => new Option(one.title, one.game)));
  place.replaceChildren(
    make("div", { class: "head" }, make("h2", {}, "Puzzles"), make("label", {}, "Game ", choice),
      make("label", {}, "Theme ", themes), make("label", {}, "Puzzle ", list), count),
    make("div", { class: "two board-first" },
      make("section", { "aria-label": "The position" }, task, picture),
      make("section", { "aria-label": "Answers" },
        make("div", { class: "tools" }, previous, next, solve, again, on), why, lines, difficulty)));
  document.addEventListener("keydown", pressed);
}

// What was solved, by the position: numbers may change with a new version.

const key = () => `evoply-puzzles-${game}`;

function answers() {
  try {
    return JSON.parse(localStorage.getItem(key())) ?? {};
  } catch {
    return {}; // nothing is kept, or somebody else wrote it
  }
}

function keep(isRight) {
  const known = answers();
  const { position } = puzzle();
  // The first answer counts.
  if (position in known) return;
  try {
    localStorage.setItem(key(), JSON.stringify({ ...known, [position]: isRight }));
  } catch {
    // A browser that keeps nothing still shows puzzles.
  }
}

const firstOpen = () => {
  const known = answers();
  return all.findIndex((one) => !(one.position in known)) + 1 || 1;
};

const puzzle = () => all[number - 1];
const listed = () => all.filter((one) => !themes.value || one.theme === themes.value);

// The number of the next puzzle of the theme, or of the one before; undefined if there is none.
function beside(way) {
  const numbers = listed().map((one) => one.number);
  return numbers[numbers.indexOf(number) + way];
}

function open(which) {
  number = which;
  if (!listed().includes(puzzle())) themes.value = "";
  [selected, answered, line, ply] = [[], null, "line", 0];
  showAll();
}

// Moves: a person chooses the squares of one, or where it starts and ends.

const targets = () => (answered === null ? nextSquares(puzzle().legal, selected) : []);

function chosen(square) {
  if (answered !== null) return;
  const found = entered(puzzle().legal, selected, square);
  if (found?.move) {
    answer(found.move);
    return;
  }
  selected = found?.selected ?? [];
  showAll();
  if (!found) task.textContent = `${puzzle().board.squares[square] || "This square"} is not a legal move. ${puzzle().task}`;
}

function answer(move) {
  if (answered !== null) return;
  const isRight = move !== null && move.text === puzzle().best.text;
  answered = { move, isRight };
  selected = [];
  keep(isRight);
  showAll();
}

async function playOn() {
  const { position, board: { turn } } = puzzle();
  const { opponent } = games.find((one) => one.game === game);
  await beginGame({ game, position, [turn]: "person", [OTHER[turn]]: opponent });
}

// What is seen.

const steps = () => puzzle()[line];

function taskText() {
  const { best } = puzzle();
  if (answered === null) return selected.length ? "Now choose where it goes." : puzzle().task;
  if (answered.isRight) return `Right: ${best.text} is the best move.`;
  return answered.move === null ? `The best move is ${best.text}.` : `Not ${answered.move.text}: the best move is ${best.text}.`;
}

function showAll() {
  const { board: view, best, explanation, difficulty: often } = puzzle();
  const last = ply ? steps()[ply - 1] : null;
  const marked = answered === null || ply ? [] : [{ path: best.path, kind: "best" }];
  if (answered?.move && !answered.isRight && !ply) marked.unshift({ path: answered.move.path, kind: "played" });
  const text = ply ? `${line === "line" ? "Best line" : "Second best"}, move ${ply} of ${steps().length}: ${last.text}` : taskText();
  board.show({
    ...view, cells: last?.cells ?? view.cells, last: last?.path ?? [], selected, targets: targets(),
    ways: marked, name: `Puzzle ${number}. ${text}`,
  });
  if (task.textContent !== text) task.textContent = text;
  const known = answers();
  const solved = all.filter((one) => known[one.position]).length;
  count.textContent = `${all.length} puzzles, ${solved} solved`;
  list.replaceChildren(...listed().map((one) => {
    const text = `${one.number}. ${"★".repeat(one.stars)} ${one.theme}${known[one.position] ? ", solved" : ""}`;
    return new Option(text, one.number, false, one === puzzle());
  }));
  previous.disabled = !beside(-1);
  next.disabled = !beside(1);
  solve.hidden = answered !== null;
  again.hidden = answered === null;
  for (const one of [why, difficulty, lines]) one.hidden = answered === null;
  why.textContent = answered === null ? "" : explanation;
  difficulty.textContent = answered === null ? "" : often;
  showLines();
  place.dataset.state = `${game}:${number}:${answered === null ? "open" : answered.isRight ? "right" : "wrong"}:${line}:${ply}`;
}

function step(to) {
  ply = Math.min(Math.max(0, to), steps().length);
  const held = lines.contains(document.activeElement) ? document.activeElement.dataset.name : null;
  showAll();
  // The one that was pressed may be off now: then the other way has the focus.
  const again = held && [...lines.querySelectorAll("button")].find((one) => one.dataset.name === held);
  if (again) (again.disabled ? lines.querySelector("button:not(:disabled)") : again).focus();
}

function showLines() {
  if (answered === null) return;
  const one = (name, which, text) => {
    const made = button([text], () => { line = which; step(1); });
    made.dataset.name = name;
    made.setAttribute("aria-pressed", String(line === which));
    return made;
  };
  const way = (name, text, to) => {
    const made = button([text], () => step(to));
    made.dataset.name = name;
    made.setAttribute("aria-label", name);
    made.disabled = to < 0 || to > steps().length;
    return made;
  };
  const moves = steps().map((move, index) => make("li", index + 1 === ply ? { "aria-current": "true" } : {}, move.text));
  lines.replaceChildren(
    make("div", { class: "tools" }, one("best", "line", `After ${puzzle().best.text}`),
      one("second", "second_line", `After ${puzzle().second.text}`),
      way("One move back", "◀", ply - 1), way("One move forward", "▶", ply + 1)),
    make("ol", { class: "plies" }, ...moves));
}

function pressed(event) {
  if (place.hidden || !all.length || !isShortcut(event)) return;
  const work = { n: next, p: previous, s: solve, t: again }[event.key.toLowerCase()];
  if (!work || work.disabled || work.hidden) return;
  event.preventDefault();
  work.click();
}
