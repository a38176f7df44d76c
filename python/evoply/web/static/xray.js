// The x-ray: what a player sees on the board. Its numbers are shown on the squares, its features in
// a table, its tree as the picture that reports have.

import { post } from "./api.js";
import { drawing, make } from "./dom.js";
import { at, NAMES } from "./names.js";

const MOST_FEATURES = 40;

const number = (value) => (value === null ? "" : String(Number(value.toPrecision(4))));
const signed = (value) => (value === null ? "" : `${value > 0 ? "+" : ""}${number(value)}`);

// A value as a square has room for it: "-0.02745" is "-.027" there.
function shortened(text) {
  const number = Number(text);
  if (text.length <= 5 || !Number.isFinite(number)) return text;
  return Math.abs(number) < 1 ? number.toFixed(3).replace("0.", ".") : number.toPrecision(3);
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

// `table` is the game on the table: {game(), ply(), adviser(), redraw()}.
export function startXray(table) {
  let isOn = false;
  let isAsking = false;
  let seen = null; // the latest answer, and what was asked: {key, game, answer}
  let who = ""; // whose x-ray, as the text of a player

  const key = () => `${table.game().id} ${table.game().version} ${table.ply()} ${who}`;

  function offerPlayers() {
    const game = table.game();
    const options = new Map(["black", "white"].filter((color) => game[color].player !== "person")
      .map((color) => [game[color].player, `${NAMES[color]}: ${game[color].label}`]));
    const adviser = table.adviser();
    if (!options.has(adviser)) options.set(adviser, adviser);
    if (!options.has(who)) who = options.keys().next().value;
    at("xray-who").replaceChildren(...[...options].map(([value, text]) => new Option(text, value)));
    at("xray-who").value = who;
  }

  const row = (cells, kind = "td") => make("tr", {}, ...cells.map((one) => make(kind, kind === "th" ? { scope: "col" } : {}, one)));

  function show() {
    const answer = seen.answer;
    at("xray-sentence").textContent = answer.sentence;
    const rows = answer.features.slice(0, MOST_FEATURES)
      .map((one) => row([make("span", { title: one.text }, one.words), one.value, signed(one.adds)]));
    if (answer.features.length > MOST_FEATURES) rows.push(row([`and ${answer.features.length - MOST_FEATURES} more`, "", ""]));
    if (answer.rest !== null && Math.abs(answer.rest) > 1e-9) rows.push(row(["all else", "", signed(answer.rest)]));
    const isSum = answer.features.some((one) => one.adds !== null);
    at("xray-features").replaceChildren(row(["it sees", answer.features.some((one) => one.value !== "") ? "here" : "", isSum ? "adds" : ""], "th"), ...rows);
    at("xray-features").hidden = rows.length === 0;
    const tree = at("xray-tree");
    tree.hidden = answer.tree === null;
    if (answer.tree !== null) tree.replaceChildren(drawing(answer.tree));
    const own = answer.value === null ? "" : ` Own is ${NAMES[answer.own]}.`;
    at("xray-note").textContent = `On the squares: ${answer.squares_are.charAt(0).toLowerCase()}${answer.squares_are.slice(1)}${own} ${answer.note}`;
  }

  async function ask() {
    if (!isOn || isAsking || table.game() === null) return;
    const game = table.game();
    // A player that is thinking has a better board to be asked about in a moment.
    if (game.is_thinking && table.ply() === game.moves.length && seen?.game === game.id) return;
    const asked = key();
    if (seen?.key === asked) return;
    isAsking = true;
    try {
      const answer = await post(`/api/games/${game.id}/xray`, { player: who, ply: table.ply() });
      seen = { key: asked, game: game.id, answer };
      if (isOn) show();
    } catch (error) {
      seen = { key: asked, game: game.id, answer: null };
      at("xray-sentence").textContent = error.message;
      at("xray-features").hidden = at("xray-tree").hidden = true;
      at("xray-note").textContent = "";
    } finally {
      isAsking = false;
    }
    table.redraw();
    if (key() !== asked) await ask();
  }

  async function toggle() {
    isOn = !isOn;
    at("xray").setAttribute("aria-pressed", String(isOn));
    at("xray-panel").hidden = !isOn;
    if (isOn) {
      offerPlayers();
      seen = null;
      await ask();
    }
    table.redraw();
  }

  at("xray-who").addEventListener("change", () => {
    who = at("xray-who").value;
    ask();
  });
  return {
    toggle,
    // Called after everything that was shown anew.
    shown() {
      if (!isOn) return;
      if (seen !== null && seen.game !== table.game().id) {
        seen = null;
        offerPlayers();
      }
      ask();
    },
    // What stands on the squares: {text, strength} by square, or nothing.
    heat() {
      if (!isOn || !seen?.answer || seen.game !== table.game().id) return new Map();
      return heatOf(new Map(seen.answer.squares.map((value, square) => [square, value]).filter(([, value]) => value !== null)));
    },
  };
}
