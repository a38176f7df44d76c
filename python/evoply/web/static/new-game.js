// The form of a new game: which game, who plays, how long, and where it begins.

import { get, post } from "./api.js";
import { make } from "./dom.js";
import { say, trying } from "./messages.js";
import { at, NAMES } from "./names.js";
import { seat as mySeat } from "./room.js";

const PIECES = [["b", "black piece"], ["w", "white piece"], ["B", "black king"], ["W", "white king"], [".", "empty"]];
const KINDS = [["level", "Levels"], ["paper", "Players of papers"], ["simple", "Simple rules"]];
const USUAL = "strong:level=2";
const PATIENCE = 1500; // ms until champions are asked for: whoever only plays does not wait for them
const COLORS = ["black", "white"];

// `mayDrop()` tells whether the game on the table may be left, and asks if it is not over.
export function startNewGame({ open, setUpBoard, mayDrop }) {
  let rules = [];
  let runs = [];
  let editing = null;

  const option = (value, text) => new Option(text, value);

  function levelOption(level) {
    const interval = level.interval === null || level.elo === 0 ? "" : ` ± ${level.interval}`;
    const made = option(level.player, `${level.title}${level.elo === null ? "" : ` · ${level.elo}${interval} Elo`}`);
    made.title = `${level.player}: ${level.about}`;
    return made;
  }

  function offerPlayers() {
    const chosen = rules.find((one) => one.game === at("game").value);
    const champions = runs.filter((run) => run.game === chosen.game);
    for (const color of COLORS) {
      const before = at(color).value;
      const groups = KINDS.map(([kind, label]) => [label, chosen.levels.filter((level) => level.kind === kind).map(levelOption)]);
      groups.push(["Your champions", champions.map((run) => option(`champion@${run.name}`, run.name))]);
      at(color).replaceChildren(option("person", "You"), option("room", "Somebody on another device"),
        ...groups.filter(([, options]) => options.length).map(([label, options]) => make("optgroup", { label }, ...options)),
        option("other", "Another player…"));
      const has = (value) => [...at(color).options].some((one) => one.value === value);
      at(color).value = has(before) ? before : color === "black" ? "person"
        : has(USUAL) ? USUAL : chosen.levels[1]?.player ?? "random";
      showText(color);
    }
    sayRatings(chosen);
  }

  function sayRatings(chosen) {
    const isRated = chosen.levels.some((level) => level.elo !== null);
    at("ratings").textContent = isRated
      ? `Elo as measured, above a player that moves at random, with 95 % intervals. ${chosen.beside}`.trim() : "";
  }

  // How strong a champion is, if its run has matches against a player that moves at random.
  async function rateChampion(color) {
    const name = /^champion@(.+)$/.exec(at(color).value)?.[1];
    if (name === undefined) return;
    const { matches } = await get(`/api/runs/${encodeURIComponent(name)}`);
    const match = matches.find((one) => one.opponent === "random");
    if (at(color).value !== `champion@${name}`) return;
    const elo = match && Math.round(400 * Math.log10(match.score / (1 - match.score)));
    at("ratings").textContent = !match ? `${name} has no test match against random yet, so its rating is unknown.`
      : Number.isFinite(elo) ? `${name}: ${elo} Elo above random, from its test match.`
        : `${name} ${match.score ? "won" : "lost"} every game of its test match against random.`;
  }

  function showText(color) {
    at(`${color}-text`).hidden = at(color).value !== "other";
  }

  // Who plays, as the form says it.
  function seat(color, player) {
    const isThere = [...at(color).options].some((one) => one.value === player);
    at(color).value = isThere ? player : "other";
    if (!isThere) at(`${color}-text`).value = player;
    showText(color);
  }

  // The form says what is on the table, so that Begin is a rematch.
  function follow(state) {
    if (!rules.some((one) => one.game === state.game)) return;
    if (at("game").value !== state.game) {
      at("game").value = state.game;
      offerPlayers();
    }
    for (const color of COLORS) seat(color, state.room && state.mine && state.mine !== color ? "room" : state[color].player);
    at("clock").value = state.clock ?? "";
  }

  function endSetUp() {
    editing = null;
    at("palette").hidden = true;
    at("set-up").setAttribute("aria-pressed", "false");
    setUpBoard(null);
  }

  // A board to put pieces on. Its game is on the table first, so that its squares are there.
  async function beginSetUp() {
    if (!await mayDrop()) return;
    const state = await begin({ black: "person", white: "person", position: "" }, true);
    if (!state) return;
    let piece = "b";
    let turn = state.turn;
    const cells = [...state.start];
    const hasKings = state.labels.some((one) => one);
    const button = (text, isOn, work) => make("button", { type: "button", "aria-pressed": String(isOn()), click: () => {
      work();
      paint();
      [...at("palette").children].find((one) => one.textContent === text).focus();
      setUpBoard(editing);
    } }, text);
    const paint = () => at("palette").replaceChildren(
      ...PIECES.filter(([symbol]) => hasKings || !"BW".includes(symbol))
        .map(([symbol, name]) => button(name, () => piece === symbol, () => { piece = symbol; })),
      button("clear", () => false, () => {
        cells.forEach((one, square) => { if (one !== " ") cells[square] = "."; });
      }),
      button("Black to move", () => turn === "black", () => { turn = "black"; }),
      button("White to move", () => turn === "white", () => { turn = "white"; }),
    );
    editing = {
      cells: () => cells.join(""),
      turn: () => turn,
      put: (square) => {
        if (cells[square] === " ") return; // no light square
        const row = Math.floor(square / state.columns);
        const isLast = (piece === "b" && row === state.rows - 1) || (piece === "w" && row === 0);
        if (hasKings && isLast) say(`A man on its last row becomes a king: put a ${piece === "b" ? "black" : "white"} king there.`);
        else cells[square] = cells[square] === piece ? "." : piece;
      },
    };
    at("palette").hidden = false;
    at("set-up").setAttribute("aria-pressed", "true");
    paint();
    setUpBoard(editing);
  }

  function who(color) {
    if (at(color).value !== "other") return at(color).value;
    const text = at(`${color}-text`).value.trim();
    if (text) return text;
    at(`${color}-text`).focus();
    throw new Error(`${NAMES[color]}: another player has a text, such as champion@first:depth=4. Type it below.`);
  }

  // The side of ours in a game against a person on another device; null for other games.
  function ownSide(black, white) {
    if (black !== "room" && white !== "room") return null;
    if (black !== "person" && white !== "person") {
      throw new Error("To play with somebody on another device, leave one side to yourself.");
    }
    return black === "person" ? "black" : "white";
  }

  // Where a message belongs that names a field.
  const FIELDS = { position: "position", clock: "clock", seconds: "seconds", black: "black-text", white: "white-text" };

  function showWrong(message) {
    const name = /^(\w+): /.exec(message)?.[1];
    at("position-wrong").textContent = name === "position" ? message.slice("position: ".length) : "";
    for (const [field, id] of Object.entries(FIELDS)) {
      if (field === name) at(id).setAttribute("aria-invalid", "true");
      else at(id).removeAttribute("aria-invalid");
    }
    const field = at(FIELDS[name] ?? "");
    if (field === null || field.hidden) return name === "position";
    const folded = field.closest("details");
    if (folded) folded.open = true;
    field.focus();
    return name === "position";
  }

  // What the form asks for, as a request.
  function wanted(asked, isForSetUp) {
    const own = ownSide(asked.black ?? at("black").value, asked.white ?? at("white").value);
    if (own) Object.assign(asked, { black: "person", white: "person", room: { color: own, seat: mySeat() } });
    return {
      game: at("game").value,
      black: asked.black ?? who("black"),
      white: asked.white ?? who("white"),
      seconds: Number(at("seconds").value) || 2,
      clock: at("clock").value.trim() || null,
      position: at("position").value.trim() || null,
      board: editing === null ? null : { cells: editing.cells(), turn: editing.turn() },
      ...asked,
    };
  }

  // Say what is wrong at its field, or else below the page.
  async function atItsField(work) {
    return trying(async () => {
      try {
        showWrong("");
        return await work();
      } catch (error) {
        if (!showWrong(error.message)) throw error;
        return undefined;
      }
    });
  }

  async function begin(asked = {}, isForSetUp = false) {
    return atItsField(async () => {
      const state = await post("/api/games", wanted(asked, isForSetUp));
      if (!isForSetUp) endSetUp();
      return open(state, { isFollowed: !isForSetUp });
    });
  }

  // Whether a game can be begun so: asked before a game on the table is left for it.
  const canBegin = () => atItsField(async () => {
    await post("/api/games/check", wanted({}, false));
    return true;
  });

  const loaded = trying(async () => {
    rules = await get("/api/rules");
    at("game").replaceChildren(...rules.map((one) => option(one.game, one.title)));
    offerPlayers();
  });

  // The champions of runs, once something is on the table; who was chosen stays chosen.
  async function loadChampions() {
    runs = (await get("/api/runs")).runs.filter((run) => run.trouble === null && run.generations > 0);
    // Nothing is taken from under a finger.
    while (COLORS.some((color) => document.activeElement === at(color))) {
      await new Promise((done) => setTimeout(done, PATIENCE));
    }
    if (runs.length) offerPlayers();
  }

  at("game").addEventListener("change", () => {
    offerPlayers();
    endSetUp();
  });
  for (const color of COLORS) {
    at(color).addEventListener("change", () => {
      showText(color);
      sayRatings(rules.find((one) => one.game === at("game").value));
      trying(() => rateChampion(color));
    });
  }
  at("set-up").addEventListener("click", () => (editing === null ? trying(beginSetUp) : endSetUp()));
  at("new").addEventListener("submit", (event) => {
    event.preventDefault();
    trying(async () => {
      if ((!at("position").value.trim() || await canBegin()) && await mayDrop() && await begin()) at("position").value = "";
    });
  });
  return {
    begin: (asked) => loaded.then(() => begin(asked)),
    follow: (state) => loaded.then(() => follow(state)),
    adviser: (game) => rules.find((one) => one.game === game)?.adviser ?? "",
    // Without them one can still play, so a failure is not worth a word.
    offerChampions: () => loaded.then(() => setTimeout(() => loadChampions().catch(() => {}), PATIENCE)),
  };
}
