// A better line: moves that were not played, stepped through on the board. `table` is the game on
// the table: {game(), redraw()}.

import { post } from "./api.js";
import { make } from "./dom.js";
import { at, numberOf } from "./names.js";

export function startLine(table) {
  let line = null; // {game, ply, texts, moves}: moves as the server shows them
  let count = 0; // how many of them are on the board
  let wanted = 0;

  function paint() {
    at("line").hidden = line === null;
    if (line === null) return;
    const button = (text, step) => make("button", {
      type: "button", "aria-current": step === count ? "true" : null, click: () => go(step),
    }, text);
    at("line").replaceChildren(
      make("button", { type: "button", id: "line-end", click: () => { leave(); table.redraw(); } }, "Back to the game"),
      make("span", {}, "Better:"),
      ...line.moves.map((move, index) => button(move.path.length
        ? `${numberOf(table.game().moves, line.ply) + numberOf(line.moves, index + 1)}. ${move.text}` : move.text, index + 1)));
  }

  function go(step) {
    count = Math.max(0, Math.min(line.moves.length, step));
    paint();
    table.redraw(count > 0 ? line.moves[count - 1].path : null);
    at("line").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  function leave() {
    wanted += 1;
    line = null;
    count = 0;
    paint();
  }

  return {
    leave,
    isOn: () => line !== null,
    isMoved: () => line !== null && count > 0,
    count: () => count,
    length: () => line?.moves.length ?? 0,
    step: (by) => go(count + by),
    // The board after the steps so far, and the squares of the last of them.
    cells: () => line.moves[count - 1].cells,
    last: () => line.moves[count - 1].path,
    played: () => ({ ply: line.ply, moves: line.texts.slice(0, count) }),
    // Show the line `texts` that begins after `ply` plies; its first move is not on the board yet.
    async show(ply, texts) {
      leave();
      const mine = wanted;
      const { id } = table.game();
      const { moves } = await post(`/api/games/${id}/line`, { ply, moves: texts });
      if (mine !== wanted || table.game()?.id !== id) return;
      line = { ply, texts, moves };
      paint();
      table.redraw();
    },
  };
}
