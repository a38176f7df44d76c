// What several files about the game on the table need.

export const at = (id) => document.getElementById(id);
export const NAMES = { black: "Black", white: "White" };
export const OTHER = { black: "white", white: "black" };
