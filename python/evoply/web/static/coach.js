// The coach: what each move is worth, which is best and why, and what the opponent would play. The
// game's adviser says what moves are worth, a strong player, whoever the opponent is.
// `table` is the game on the table: {game(), place(), ply(), canAsk(), isLatest(), mark(ways), redraw()}.

import { inTurn, post } from "./api.js";
import { say } from "./messages.js";
import { ahead, at, NAMES, OTHER } from "./names.js";

const MOST_KEPT = 100;
const UNITS = { discs: ", in discs", points: ", in expected points (100 % is a win)", none: ", on the player's own scale" };

export function startCoach(table) {
  const values = new Map(); // answers by the board that they are about, so that they stay the same there
  let isValued = false; // whether values are to be shown at every turn
  let isAsking = false;
  let isNews = false; // whether something was shown since values were asked for
  let advised = ""; // the board that the advice is about

  function show(text) {
    advised = table.place();
    at("advice").textContent = text;
    at("advice").hidden = false;
  }

  const askedAt = (place) => values.get(place) ?? null;

  function keep(place, answer) {
    values.set(place, answer);
    if (values.size > MOST_KEPT) values.delete(values.keys().next().value);
  }

  async function askValues() {
    const place = table.place();
    if (askedAt(place) || !table.canAsk()) return askedAt(place);
    const { id } = table.game();
    const answer = await inTurn(async () => (table.place() === place
      ? askedAt(place) ?? post(`/api/games/${id}/values`, { ply: table.ply() }) : null));
    if (answer !== null) keep(place, answer);
    if (answer === null || table.place() !== place) return null;
    table.redraw();
    return answer;
  }

  // Values of the board that is shown, and then of what was shown meanwhile.
  async function follow() {
    isNews = true;
    if (!isValued || isAsking) return;
    isAsking = true;
    try {
      while (isValued && isNews) {
        isNews = false;
        await askValues();
      }
    } finally {
      isAsking = false;
    }
  }

  // Whose move it is on the board that is shown.
  const answerColor = () => table.game().moves[table.ply()]?.color ?? table.game().turn;

  const refusal = () => (table.game().is_over && table.isLatest() ? "The game is over." : "It is not your turn.");

  async function hint() {
    if (!table.canAsk()) {
      say(refusal());
      return;
    }
    const place = table.place();
    show("Looking for the best move…");
    let answer = null;
    try {
      answer = await askValues();
    } finally {
      if (answer === null && advised === place) at("advice").hidden = true;
    }
    if (answer === null) return;
    if (!answer.moves.length) {
      show(`${answer.best} is the only move.`);
    } else if (answer.unit === "none") {
      // Nobody here knows the game: what sees certain ends and pieces is a rough guide.
      show(`${answer.best}, but only as a rough guide: nobody here knows this game well. ${answer.player} looks ${ahead(answer.depth)}, and then counts pieces.`);
    } else {
      const exact = answer.exact ? ", exact" : "";
      show(`${answer.best} is best (${answer.moves[0].text}${exact}), looking ${ahead(answer.depth)}. ${answer.why ?? ""}`);
    }
    table.mark([{ path: answer.path, kind: "best" }]);
  }

  // What the player asked about would play, and why; if it moves next, that is what it plays.
  async function choice() {
    const game = table.game();
    const opponent = ["black", "white"].find((color) => game[color].player !== "person");
    if (opponent === undefined) {
      say("There is no opponent: both sides are yours.");
      return;
    }
    if (!table.isLatest() || game.is_over) {
      say(game.is_over ? "The game is over." : "Go to the latest move to ask what it would play.");
      return;
    }
    const place = table.place();
    const whose = game.turn;
    const isTheirs = game[whose].player !== "person";
    show(`Asking ${game[isTheirs ? whose : OTHER[whose]].label}…`);
    let answer = null;
    try {
      answer = await inTurn(() => (table.place() === place ? post(`/api/games/${game.id}/choice`, {}) : null));
    } finally {
      if (answer === null && advised === place) at("advice").hidden = true;
    }
    // Its move may have been played meanwhile.
    if (answer === null || (table.place() !== place && !answer.is_next)) return;
    const label = game[isTheirs ? whose : OTHER[whose]].label;
    show(answer.is_next ? `${label} plays ${answer.move}. ${answer.why}` : `${label} would play ${answer.move} in your place. ${answer.why}`);
    if (table.place() === place) table.mark([{ path: answer.path, kind: "theirs" }]);
  }

  async function toggle() {
    isValued = !isValued;
    at("values").setAttribute("aria-pressed", String(isValued));
    table.redraw();
    await follow();
  }

  return {
    hint,
    choice,
    toggle,
    follow,
    // What is to stand on the squares of the board that is shown: nothing of another board.
    marks() {
      if (advised !== table.place()) at("advice").hidden = true;
      const answer = isValued ? askedAt(table.place()) : null;
      at("values-note").textContent = answer === null || !answer.moves.length ? ""
        : `Values for ${NAMES[answerColor()]}${UNITS[answer.unit]}${answer.exact ? ", exact; empty squares count for the winner" : `, looking ${ahead(answer.depth)}`}. By ${answer.player}.`;
      const worth = new Map();
      // In checkers several moves may end on a square: the best of them counts.
      for (const one of [...(answer?.moves ?? [])].reverse()) {
        worth.set(one.path.at(-1), { text: one.text, isBest: one.loss === 0 });
      }
      return worth;
    },
  };
}
