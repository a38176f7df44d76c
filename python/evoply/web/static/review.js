// A look back at the game: what each move lost against the best one, and the worst of them.

import { post } from "./api.js";
import { lossChart } from "./charts.js";
import { trying } from "./messages.js";

const at = (id) => document.getElementById(id);
const NAMES = { black: "Black", white: "White" };
const CERTAIN = 1e14; // values beyond it are won and lost games
const MOST_MISTAKES = 5;
const SECONDS = 0.3; // for each position

// `table` is the game on the table: {game(), judge(), look(ply, ways)}.
export function startReview(table) {
  let known = new Map(); // what the moves before each ply were worth, of one game
  let id = "";
  let isLooking = false;

  function losses(game) {
    return game.moves.flatMap((move, index) => {
      const answer = known.get(`${index} ${game.moves.slice(0, index + 1).map((one) => one.text)}`);
      const valued = answer?.moves.find((one) => String(one.path) === String(move.path));
      if (!valued || answer.moves.length < 2) return [];
      const best = answer.moves[0];
      const isCertain = valued.loss >= CERTAIN;
      return [{ ply: index + 1, color: move.color, loss: valued.loss, isCertain, move, best, answer }];
    });
  }

  function show(game) {
    const found = losses(game);
    const ordinary = Math.max(1e-9, ...found.filter((one) => !one.isCertain).map((one) => one.loss));
    const worst = found.filter((one) => one.loss > 0).sort((one, other) => other.loss - one.loss).slice(0, MOST_MISTAKES);
    const words = (one) => (one.isCertain ? "a certain result" : String(Number(one.loss.toPrecision(3))));
    const drawn = found.map((one) => ({
      ...one,
      loss: one.isCertain ? 1.2 * ordinary : one.loss,
      isMarked: worst.includes(one),
      text: `${one.ply}. ${one.move.text}: lost ${words(one)}`,
    }));
    const lookAt = (one) => table.look(one.ply - 1, [
      { path: one.move.path, kind: "played" }, { path: one.best.path, kind: "best" }]);
    at("review-chart").replaceChildren(...(found.length
      ? [lossChart(drawn, (ply) => lookAt(found.find((one) => one.ply === ply)))] : []));
    at("mistakes").replaceChildren(...worst.map((one) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `${one.ply}. ${NAMES[one.color]} ${one.move.text}`;
      button.addEventListener("click", () => lookAt(one));
      item.append(button, ` lost ${words(one)}; better was ${one.best.move}`);
      return item;
    }));
  }

  async function look() {
    if (isLooking) return;
    isLooking = true;
    at("analyse").disabled = true;
    try {
      const { id: asked, moves } = table.game();
      for (let ply = 0; ply < moves.length && table.game().id === asked; ply += 1) {
        const key = `${ply} ${moves.slice(0, ply + 1).map((one) => one.text)}`;
        if (!moves[ply].path.length || known.has(key)) continue;
        known.set(key, await post(`/api/games/${asked}/values`, { ply, player: table.judge(), seconds: SECONDS }));
        at("review-note").textContent = `${ply + 1} of ${moves.length} moves looked at.`;
        show(table.game());
      }
      const isClean = losses(table.game()).every((one) => one.loss === 0);
      at("review-note").textContent = isClean ? `No move lost anything, as ${table.judge()} sees it.` : `As ${table.judge()} sees it, in ${SECONDS} s a move, on its own scale. `
        + "Click a move to see it, orange, beside the best, green; then you can play on from there.";
    } finally {
      isLooking = false;
      at("analyse").disabled = false;
    }
  }

  at("analyse").addEventListener("click", () => trying(look));
  return (game) => {
    at("review").hidden = game.moves.length === 0;
    if (game.id !== id) {
      [id, known] = [game.id, new Map()];
      at("review-note").textContent = "";
      show(game);
    }
  };
}
