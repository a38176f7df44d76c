// A look back at the game: the curve of its value, what each move lost and why, the better lines, and
// how accurate both sides were. It looks a little ahead at first, then further, and says how far. What
// it finds is kept with the game.
// `table` is the game on the table: {game(), ply(), paste(text), look(ply, ways, line)}.

import { get, inTurn, post } from "./api.js";
import { signOf, valueCurve } from "./curve.js";
import { make } from "./dom.js";
import { trying } from "./messages.js";
import { ahead, at, NAMES, numberOf, OTHER } from "./names.js";

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
const SHOWN = 5; // moves of a better line
const USUAL = "usual"; // the bounds for everybody

export function startReview(table) {
  let id = "";
  let known = new Map(); // by the moves up to it: {depth, move}, a ReviewedMove of the API
  let told = null; // the latest answer: who says so, in what, and what counts as a mistake
  let run = 0; // a later look ends an earlier one
  let note = "";
  let chosen = null; // the level whose bounds count: null until somebody chooses

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
          note = `${found(table.game()).length} of ${table.game().moves.length} moves. Looked ${ahead(pass.depth)} so far; numbers may still change.`;
          show();
        }
        depth = pass.depth;
      }
      const game = table.game();
      const depths = keys(game).map((key) => known.get(key)?.depth ?? 0);
      const further = Math.max(...depths) > Math.min(...depths) ? ", some moves further" : "";
      const solved = told?.unit === "discs" ? "the last 16 squares exactly" : "exactly where the end was seen";
      const isExact = found(game).some((one) => one.exact);
      note = `Looked ${ahead(Math.min(...depths))}${further}${isExact ? `; ${solved}` : ""}.`;
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

  // Whose moves come first: those of the only person, else of nobody.
  function hers(game) {
    const people = ["black", "white"].filter((color) => game[color].player === "person");
    return people.length === 1 ? people[0] : null;
  }

  // The level whose bounds count: what was chosen, or else that of the opponent, who plays like her.
  function level(game) {
    if (chosen !== null) return chosen;
    const own = hers(game);
    const named = own && /^strong:level=(\d+)$/.exec(game[OTHER[own]].player)?.[1];
    return told.levels.some((one) => String(one.level) === named) ? named : USUAL;
  }

  const boundsOf = (name) => told.levels.find((one) => String(one.level) === name)?.bounds ?? told.bounds;

  // The same moves, called what they are at the level that counts.
  function graded(game, moves) {
    const bounds = boundsOf(level(game));
    return moves.map((one) => ({ ...one, grade: bounds.filter((bound) => one.loss >= bound.loss).at(-1)?.grade ?? "" }));
  }

  function offerLevels(game) {
    at("review-level").hidden = !told?.levels.length;
    if (!told?.levels.length) return;
    const least = (bounds) => bounds[0].text;
    at("review-bounds").replaceChildren(new Option(`${least(told.bounds)} or more (strong players)`, USUAL),
      ...[...told.levels].reverse().map((one) => new Option(`${least(one.bounds)} or more (${one.title})`, String(one.level))));
    at("review-bounds").value = level(game);
  }

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

  function definitions(game) {
    if (!told.bounds.length) return "Values of this game have no unit here, so no loss is called a mistake.";
    const words = boundsOf(level(game)).map((one) => `${one.grade} ${signOf(one.grade)} ${one.text}`).join(", ");
    return `Least loss: ${words}. Accuracy: the share of moves, where there was more than one, that lost less than that. By ${told.player}.`;
  }

  function item(one) {
    const after = one.line.slice(1, SHOWN);
    return make("li", {},
      make("button", { type: "button", click: () => lookAt(one) }, `${numberOf(table.game().moves, one.ply)}. ${NAMES[one.color]} ${one.move}`),
      ` ${one.grade} ${signOf(one.grade)}, lost ${one.loss_text}${one.exact ? ", exact" : ""}; better was ${one.best}`,
      after.length ? `, then ${after.join(" ")}. ` : ". ",
      one.reason ? make("span", { class: "reason" }, `Why: ${one.reason}.`) : "");
  }

  // The mistakes of a side, the largest first.
  function mistakes(faults, color, isFolded) {
    const own = faults.filter((one) => one.color === color).sort((one, other) => other.loss - one.loss);
    if (!own.length) return [];
    const count = own.length > MOST_LISTED ? `the ${MOST_LISTED} largest of ${own.length}` : String(own.length);
    const list = make("ol", { class: "mistakes", "aria-label": `Mistakes of ${NAMES[color]}, the largest first` }, ...own.slice(0, MOST_LISTED).map(item));
    return [isFolded ? make("details", {}, make("summary", {}, `${NAMES[color]}: ${count}`), list)
      : make("div", {}, make("h3", {}, `${NAMES[color]}: ${count}`), list)];
  }

  function show() {
    const game = table.game();
    const moves = told === null ? [] : graded(game, found(game));
    at("review-note").textContent = note;
    offerLevels(game);
    at("review-chart").replaceChildren(...(moves.length ? [valueCurve({
      moves: moves.map((one) => ({ ...one, number: numberOf(game.moves, one.ply) })), plies: game.moves.length, unit: told.unit, ply: table.ply(), chosen: lookAt,
    })] : []));
    const faults = moves.filter((one) => one.grade);
    const own = hers(game);
    const order = own === null ? ["black", "white"] : [own, OTHER[own]];
    at("mistakes").replaceChildren(...order.flatMap((color) => mistakes(faults, color, own !== null && color !== own)));
    at("accuracy").replaceChildren(...(moves.length ? accuracy(moves) : []));
    const none = moves.length && told.bounds.length && !faults.length ? "No move lost as much as an inaccuracy. " : "";
    at("review-more").textContent = moves.length ? `${none}${definitions(game)}` : "";
  }

  // What earlier reviews found of this game, wherever they were asked for.
  async function recall(game) {
    const answer = await get(`/api/games/${game.id}/review`);
    if (answer === null || table.game()?.id !== game.id || told !== null) return;
    const names = keys(game);
    told = answer;
    for (const move of answer.moves) {
      if (names[move.ply - 1]) known.set(names[move.ply - 1], { depth: move.depth, move });
    }
    if (known.size) note = "As it was reviewed before.";
    show();
  }

  async function paste(event) {
    event.preventDefault();
    const state = await table.paste(at("review-text").value);
    if (!state) return;
    at("review-text").value = "";
    await look();
  }

  at("analyse").addEventListener("click", () => trying(look));
  at("review-paste").addEventListener("submit", (event) => trying(() => paste(event)));
  at("review-bounds").addEventListener("change", () => { chosen = at("review-bounds").value; show(); });
  return {
    // Called after every change of the game.
    heard(game) {
      at("analyse").hidden = game.moves.length === 0;
      at("review-paste").hidden = game.moves.length > 0 && !game.is_over;
      if (game.id !== id) {
        [id, known, told, note, chosen] = [game.id, new Map(), null, "", null];
        run += 1;
        at("analyse").disabled = false;
        if (game.moves.length) recall(game).catch(() => {}); // it can be asked for again
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
