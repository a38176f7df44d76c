// What several files about the game on the table need.

export const at = (id) => document.getElementById(id);
const known = (name) => document.querySelector(`meta[name=evoply-${name}]`).content;
export const isAtMachine = known("place") === "machine";
export const hasClass = known("class") !== "";
// The address of this page that people on other devices can open, as far as there is one.
export const origin = isAtMachine && known("others") ? known("others").split(" ")[0] : location.origin;
export const NAMES = { black: "Black", white: "White" };
export const OTHER = { black: "white", white: "black" };

// How many moves there are among the first plies of a game: nobody counts passes.
export const numberOf = (moves, plies = moves.length) => moves.slice(0, plies).filter((move) => move.path.length).length;
export const ahead = (depth) => `${depth} ${depth === 1 ? "move" : "moves"} ahead`;

// Whether a key is pressed by itself and outside a field.
export const isShortcut = (event) => !(event.target.closest("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey);
