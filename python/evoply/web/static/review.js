// A look back at the game: the curve of its value, what each move lost, the better lines, and how
// accurate both sides were. It looks a little ahead at first, then further, and says how far.
// `table` is the game on the table: {game(), ply(), look(ply, ways, line)}.

import { inTurn, post } from "./api.js";
import { signOf, valueCurve } from "./curve.js";
import { make } from "./dom.js";
import { trying } from "./messages.js";
import { at, NAMES } from "./names.js";

const PASSES = [
  { depth: 2, exact: false, until: Infinity },
  { depth: 4, exact: true, until: 2.5 },
  { depth: 6, exact: true, until: 2.5 },
  { depth: 8, exact: true, until: 1.2 },
]; // each begins only before so many seconds
const AT_ONCE = 10;
const ENOUGH = 6; // plies ahead; what is further ends after so many seconds:
const LONGEST = 4;
const MOST_LISTED = 12;

export function startReview(table) {
  let id = "";
  let known = new Map(); // by the moves up to it: {depth, move}, a ReviewedMove of the API
  let told = null; // the latest answer: who says so, in what, and what counts as a mistake
  let run = 0; // a later look ends an earlier one
  let note = "";

  const keys = (game) => {
    let before = "";
    return game.moves.map((move) => { before += ` ${move.text}`; return before; });
  };

  const found = (game) => keys(game).flatMap((key) => (known.has(key) ? [known.get(key).move] : []));

  // The plies that were not looked at so far ahead, in pieces: [first, count].
  function missing(game, { depth }) {
    const pieces = [];
    keys(game).forEach((key, ply) => {
      if ((known.get(key)?.depth ?? 0) >= depth) return;
      const last = pieces.at(-1);
      // At first ten moves, so that something is there at once, and then all others.
      const most = depth === PASSES[0].depth && pieces.length > 1 ? Infinity : AT_ONCE;
      if (last && last[0] + last[1] === ply && last[1] < most) last[1] += 1;
      else pieces.push([ply, 1]);
    });
    return pieces;
  }

  async function look() {
    run += 1;
    const mine = run;
    const began = performance.now();
    const first = table.game();
    const isWanted = () => run === mine && table.game()?.id === first.id;
    at("analyse").disabled = true;
    note = "Looking…";
    show();
    let depth = 0;
    try {
      for (const pass of PASSES) {
        if ((performance.now() - began) / 1000 > pass.until) break;
        for (const [since, count] of missing(table.game(), pass)) {
          if (depth >= ENOUGH && (performance.now() - began) / 1000 > LONGEST) break;
          const game = table.game();
          const names = keys(game);
          const answer = await inTurn(() => post(`/api/games/${game.id}/review`, { since, count, depth: pass.depth, exact: pass.exact }));
          if (!isWanted()) return;
          told = answer;
          for (const move of answer.moves) {
            // Of a move that was taken back meanwhile there is nothing to be said.
            if (game.moves[move.ply - 1]?.text) known.set(names[move.ply - 1], { depth: pass.depth, move });
          }
          note = `${found(table.game()).length} of ${table.game().moves.length} moves. Looked ${pass.depth} plies ahead so far; numbers may still change.`;
          show();
        }
        depth = pass.depth;
      }
      const game = table.game();
      const depths = keys(game).map((key) => known.get(key)?.depth ?? 0);
      const further = Math.max(...depths) > Math.min(...depths) ? ", some moves further" : "";
      const solved = told?.unit === "discs" ? "the last 16 squares exactly" : "exactly where the end was seen";
      const isExact = found(game).some((one) => one.exact);
      note = `Looked ${Math.min(...depths)} plies ahead${further}${isExact ? `; ${solved}` : ""}.`;
    } catch (error) {
      note = "";
      throw error;
    } finally {
      if (run === mine) {
        at("analyse").disabled = false;
        show();
      }
    }
  }

  const lookAt = (one) => trying(() => table.look(one.ply - 1, [
    { path: one.path, kind: "played" }, ...(one.loss > 0 ? [{ path: one.best_path, kind: "best" }] : [])], one.loss > 0 ? one.line : []));

  function accuracy(moves) {
    return ["black", "white"].map((color) => {
      const choices = moves.filter((one) => one.color === color && one.had_choice);
      if (!choices.length) return make("li", {}, `${NAMES[color]} had no choice yet.`);
      const good = choices.filter((one) => !one.grade).length;
      const mean = choices.reduce((sum, one) => sum + one.loss, 0) / choices.length;
      const lost = told.unit === "discs" ? `, ${mean.toFixed(1)} discs lost a move`
        : told.unit === "points" ? `, ${(100 * mean).toFixed(1)} % of a point lost a move` : "";
      return make("li", {}, make("b", {}, `${NAMES[color]}: ${Math.round((100 * good) / choices.length)} %`),
        ` (${good} of ${choices.length} moves)${lost}`);
    });
  }

  function definitions() {
    if (!told.bounds.length) return "Values of this game have no unit here, so no loss is called a mistake.";
    const words = told.bounds.map((one) => `${one.grade} ${signOf(one.grade)} ${one.text}`).join(", ");
    return `Least loss: ${words}. Accuracy: the share of moves, where there was more than one, that lost less than that. By ${told.player}.`;
  }

  function item(one) {
    return make("li", {},
      make("button", { type: "button", click: () => lookAt(one) }, `${one.ply}. ${NAMES[one.color]} ${one.move}`),
      ` ${one.grade} ${signOf(one.grade)}, lost ${one.loss_text}${one.exact ? ", exact" : ""}; better was ${one.best}`);
  }

  function show() {
    const game = table.game();
    const moves = told === null ? [] : found(game);
    at("review-note").textContent = note;
    at("review-chart").replaceChildren(...(moves.length ? [valueCurve({
      moves, plies: game.moves.length, unit: told.unit, ply: table.ply(), chosen: lookAt,
    })] : []));
    const faults = moves.filter((one) => one.grade).sort((one, other) => other.loss - one.loss);
    at("mistakes").replaceChildren(...faults.slice(0, MOST_LISTED).map(item));
    at("accuracy").replaceChildren(...(moves.length ? accuracy(moves) : []));
    const more = faults.length > MOST_LISTED ? ` ${faults.length - MOST_LISTED} smaller ones are on the curve.` : "";
    const none = moves.length && told.bounds.length && !faults.length ? "No move lost as much as an inaccuracy. " : "";
    at("review-more").textContent = moves.length ? `${none}${definitions()}${more}` : "";
  }

  at("analyse").addEventListener("click", () => trying(look));
  return {
    // Called after every change of the game.
    heard(game) {
      at("review").hidden = game.moves.length === 0;
      if (game.id !== id) {
        [id, known, told, note] = [game.id, new Map(), null, ""];
        run += 1;
        at("analyse").disabled = false;
      } else if (note && !at("analyse").disabled && missing(game, PASSES[0]).length) {
        note = "There are moves that were not looked at: review it again.";
      }
      show();
    },
    // Called when another board is shown.
    shown() {
      if (told !== null) show();
    },
  };
}
