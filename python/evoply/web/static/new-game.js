// The form of a new game: which game, who plays, how long, and where it begins.

import { get, post } from "./api.js";
import { trying } from "./messages.js";

const at = (id) => document.getElementById(id);
const PIECES = [["b", "black piece"], ["w", "white piece"], ["B", "black king"], ["W", "white king"], [".", "empty"]];

export function startNewGame({ open, setUpBoard }) {
  let rules = [];
  let editing = null;

  const option = (value, text) => new Option(text, value);

  function offerPlayers() {
    const chosen = rules.find((one) => one.game === at("game").value);
    for (const color of ["black", "white"]) {
      const before = at(color).value;
      const options = [option("person", "You"),
        ...chosen.levels.map((level, index) => option(level.player, `${index + 1}. ${level.title}${level.elo ? ` · ${level.elo} Elo` : ""}`)),
        option("other", "Another player…")];
      options.forEach((one, index) => { 
        const level = chosen.levels[index - 1];
        if (level) one.title = `${level.player}: ${level.about}`;
       });
      at(color).replaceChildren(...options);
      const isThere = options.some((one) => one.value === before);
      at(color).value = isThere ? before : color === "black" ? "person" : chosen.levels[1]?.player ?? "random";
      at(`${color}-text`).hidden = at(color).value !== "other";
    }
    endSetUp();
  }

  function endSetUp() {
    editing = null;
    at("palette").hidden = true;
    at("set-up").setAttribute("aria-pressed", "false");
    setUpBoard(null);
  }

  // A board to put pieces on. Its game is on the table first, so that its squares are there.
  async function beginSetUp() {
    const state = await begin({ black: "person", white: "person", position: "" }, true);
    if (!state) return;
    let piece = "b";
    let turn = state.turn;
    const cells = [...state.start];
    const hasKings = state.labels.some((one) => one);
    const button = (text, isOn, work) => {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = text;
      made.setAttribute("aria-pressed", String(isOn()));
      made.addEventListener("click", () => {
        work();
        paint();
        [...at("palette").children].find((one) => one.textContent === text).focus();
        setUpBoard(editing);
      });
      return made;
    };
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
      put: (square) => { cells[square] = cells[square] === piece ? "." : piece; },
    };
    at("palette").hidden = false;
    at("set-up").setAttribute("aria-pressed", "true");
    paint();
    setUpBoard(editing);
  }

  async function begin(asked = {}, isForSetUp = false) {
    const who = (color) => (at(color).value === "other" ? at(`${color}-text`).value.trim() || "person" : at(color).value);
    const body = {
      game: at("game").value,
      black: who("black"),
      white: who("white"),
      seconds: Number(at("seconds").value) || 2,
      clock: at("clock").value.trim() || null,
      position: at("position").value.trim() || null,
      board: editing === null ? null : { cells: editing.cells(), turn: editing.turn() },
      ...asked,
    };
    return trying(async () => {
      const state = await post("/api/games", body);
      if (!isForSetUp) endSetUp();
      if (at("game").value !== state.game) {
        at("game").value = state.game;
        offerPlayers();
      }
      return open(state);
    });
  }

  const loaded = trying(async () => {
    rules = await get("/api/rules");
    at("game").replaceChildren(...rules.map((one) => option(one.game, one.title)));
    offerPlayers();
  });
  at("game").addEventListener("change", offerPlayers);
  for (const color of ["black", "white"]) {
    at(color).addEventListener("change", () => { at(`${color}-text`).hidden = at(color).value !== "other"; });
  }
  at("set-up").addEventListener("click", () => (editing === null ? beginSetUp() : endSetUp()));
  at("new").addEventListener("submit", (event) => {
    event.preventDefault();
    begin().then((state) => state && at("position").value && (at("position").value = ""));
  });
  return {
    begin: (asked) => loaded.then(() => begin(asked)),
    adviser: (game) => rules.find((one) => one.game === game).adviser,
  };
}
