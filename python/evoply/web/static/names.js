// What several files about the game on the table need.

export const at = (id) => document.getElementById(id);
export const NAMES = { black: "Black", white: "White" };
export const OTHER = { black: "white", white: "black" };

// Whether a key is pressed by itself and outside a field.
export const isShortcut = (event) => !(event.target.closest("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey);
