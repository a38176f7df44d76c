// Entering a move by its squares: `legal` are moves as the server says them, `selected` the squares chosen so far.

// The legal moves that go on from there.
export const fitting = (legal, selected) => legal.filter((move) => selected.every((square, index) => move.path[index] === square));

// The squares that can be chosen next. A capture may also be named by where it ends.
export function nextSquares(legal, selected) {
  const moves = fitting(legal, selected);
  const next = moves.map((move) => move.path[selected.length]);
  if (selected.length) next.push(...moves.map((move) => move.path.at(-1)));
  return [...new Set(next.filter((square) => square !== undefined))];
}

// What comes of choosing `square`: {move}, or other squares that are {selected}; null if it fits nothing.
export function entered(legal, selected, square) {
  const moves = fitting(legal, selected);
  if (selected.length && selected.at(-1) === square) {
    // A second click plays a move that is this square alone, such as a car's that leaves the board.
    const alone = moves.find((move) => move.path.length === selected.length);
    return alone ? { move: alone } : { selected: [] };
  }
  const candidates = moves.filter((move) => move.path[selected.length] === square);
  const ending = selected.length ? moves.filter((move) => move.path.at(-1) === square) : [];
  const whole = candidates.filter((move) => move.path.length === selected.length + 1);
  const move = whole.length === 1 && candidates.length === 1 ? whole[0] : ending.length === 1 ? ending[0] : null;
  if (move !== null) return { move };
  if (candidates.length) return { selected: [...selected, square] };
  return legal.some((one) => one.path[0] === square) ? { selected: [square] } : null;
}
