// A board as SVG, for every game: squares, pieces, marks, numbers; mouse, keyboard, screen reader.
// It knows no rules: what can be chosen, and what it is called, it is told.

const SQUARE = 44;
const MARGIN = 28;
// Hexes stand on a corner: a row is lower than a square by this, and half a square to the right.
const HEX_ROW = SQUARE * Math.sqrt(3) / 2;
const HEX_RADIUS = SQUARE / Math.sqrt(3);
const CROWN = "M-10 6V-5L-5 0L0 -8L5 0L10 -5V6Z";
const STEP_MS = 160;

export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const colorOf = (piece) => ("bB".includes(piece) ? "black" : "white");
const isPiece = (cell) => cell !== undefined && "bBwW".includes(cell);

// The colours of the heat maps of the reports.
function heatColor(strength) {
  const end = strength > 0 ? [196, 74, 20] : [32, 92, 168];
  const mixed = [243, 241, 234].map((pale, index) => Math.round(pale + (end[index] - pale) * Math.min(1, Math.abs(strength))));
  return `rgb(${mixed.join(" ")})`;
}

export class Board {
  // `chosen(square)` is called for every square that a person chooses.
  constructor(container, chosen) {
    this.container = container;
    this.chosen = chosen;
    this.shape = "";
    this.view = null;
    this.focus = 0;
  }

  // Show a view: {rows, columns, squares, labels, drawn, cells, turn, last, selected, targets, values, name,
  // isFlipped}; a flipped board is seen from the other side.
  // `targets` are the squares that can be chosen, `values` texts on squares by number, with
  // `isBest` among them marked, `heat` texts with a `strength` from -1 to 1, `isEdited` says that any piece may be put anywhere. `move` is the path of the move that led here, to be animated.
  show(view, move = null) {
    const shape = JSON.stringify([view.rows, view.columns, view.squares, view.drawn, view.isFlipped]);
    if (shape !== this.shape) {
      this.shape = shape;
      this.#build(view);
      move = null;
    }
    const before = this.view;
    this.view = view;
    this.#pieces(before?.cells, view.cells, move);
    this.#heat(view);
    this.#marks(view);
    this.#cells(view);
  }

  focusSquare() {
    this.cells[this.focus]?.focus();
  }

  // The square at a place on the screen, by row and column from the top left, and the other way round.
  #square(row, column) {
    const count = row * this.columns + column;
    return this.isFlipped ? this.rows * this.columns - 1 - count : count;
  }

  #place(square) {
    const count = this.isFlipped ? this.rows * this.columns - 1 - square : square;
    return [Math.floor(count / this.columns), count % this.columns];
  }

  #letter(column) {
    return String.fromCharCode(97 + (this.isFlipped ? this.columns - 1 - column : column));
  }

  #number(row) {
    return String(this.isFlipped ? this.rows - row : row + 1);
  }

  #center(square) {
    const [row, column] = this.#place(square);
    if (this.drawn === "hexes") return [MARGIN + (column + (row + 1) / 2) * SQUARE, MARGIN + HEX_RADIUS + row * HEX_ROW];
    return [MARGIN + (column + 0.5) * SQUARE, MARGIN + (row + 0.5) * SQUARE];
  }

  // The corners of a hex, from the top clockwise.
  #corners(square) {
    const [x, y] = this.#center(square);
    return [0, 1, 2, 3, 4, 5].map((corner) => {
      const angle = corner * Math.PI / 3;
      return [x + HEX_RADIUS * Math.sin(angle), y - HEX_RADIUS * Math.cos(angle)];
    });
  }

  #build(view) {
    const { rows, columns } = view;
    Object.assign(this, { rows, columns, drawn: view.drawn, isFlipped: Boolean(view.isFlipped), view: null });
    const isHexes = view.drawn === "hexes";
    const [width, height] = isHexes
      ? [(columns + (rows - 1) / 2) * SQUARE, 2 * HEX_RADIUS + (rows - 1) * HEX_ROW]
      : [columns * SQUARE, rows * SQUARE];
    const whole = { width: width + 2 * MARGIN, height: height + 2 * MARGIN };
    const isNumbered = view.labels.some((label) => label);
    const ground = svg("g", { "aria-hidden": "true" });
    ground.append(svg("rect", { ...whole, rx: 10, class: "frame" }));
    if (!isHexes) {
      ground.append(svg("rect", {
        x: MARGIN, y: MARGIN, width, height, class: isNumbered ? "light" : "ground",
      }));
    }
    if (isHexes) this.#hexes(ground);
    else this.#squares(ground, view, isNumbered);
    this.heatLayer = svg("g", { "aria-hidden": "true" });
    this.pieceLayer = svg("g", { "aria-hidden": "true" });
    this.markLayer = svg("g", { "aria-hidden": "true" });
    const grid = svg("g", { role: "grid", "aria-label": "Board" });
    this.grid = grid;
    this.cells = view.squares.map((name, square) => {
      const [x, y] = this.#center(square);
      const hit = isHexes
        ? svg("polygon", { points: this.#corners(square).join(" "), class: "hit" })
        : svg("rect", { x: x - SQUARE / 2 + 1.5, y: y - SQUARE / 2 + 1.5, width: SQUARE - 3, height: SQUARE - 3, class: "hit" });
      const cell = svg("g", { role: "gridcell", tabindex: "-1", "data-square": square, "data-name": name }, hit);
      return cell;
    });
    for (let row = 0; row < rows; row += 1) {
      const across = [...Array(columns).keys()];
      grid.append(svg("g", { role: "row" }, ...across.map((column) => this.cells[this.#square(row, column)])));
    }
    const picture = svg("svg", { viewBox: `0 0 ${whole.width} ${whole.height}`, class: "board" }, ground, this.heatLayer, this.pieceLayer, this.markLayer, grid);
    picture.addEventListener("click", (event) => this.#clicked(event));
    picture.addEventListener("keydown", (event) => this.#key(event));
    this.container.replaceChildren(picture);
    this.pieces = new Map();
    this.focus = view.squares[this.#square(0, 0)] ? this.#square(0, 0) : view.squares.findIndex((name) => name);
  }

  #squares(ground, view, isNumbered) {
    const text = (x, y, size, content, kind, anchor = "middle") => ground.append(
      svg("text", { x, y: y + size * 0.35, "font-size": size, class: kind, "text-anchor": anchor }, content),
    );
    if (isNumbered) {
      view.squares.forEach((name, square) => {
        if (!name) return;
        const [x, y] = this.#center(square);
        ground.append(svg("rect", { x: x - SQUARE / 2, y: y - SQUARE / 2, width: SQUARE, height: SQUARE, class: "ground" }));
        text(x - SQUARE / 2 + 3, y - SQUARE / 2 + 7, 9, name, "number", "start");
      });
      return;
    }
    const { rows, columns } = view;
    // Pieces stand on the crossings of lines, or in the squares between them.
    const crosses = view.drawn === "crossings";
    const [first, less] = crosses ? [MARGIN + SQUARE / 2, 1] : [MARGIN, 0];
    let lines = "";
    for (let column = 0; column <= columns - less; column += 1) {
      lines += `M${first + column * SQUARE} ${first}v${(rows - less) * SQUARE}`;
      if (column < columns) text(MARGIN + (column + 0.5) * SQUARE, MARGIN / 2, 14, this.#letter(column), "edge");
    }
    for (let row = 0; row <= rows - less; row += 1) {
      lines += `M${first} ${first + row * SQUARE}h${(columns - less) * SQUARE}`;
      if (row < rows) text(MARGIN / 2, MARGIN + (row + 0.5) * SQUARE, 14, this.#number(row), "edge");
    }
    ground.append(svg("path", { d: lines, class: "lines" }));
    if (crosses || Math.min(rows, columns) < 8) return;
    for (const x of [2, columns - 2]) {
      for (const y of [2, rows - 2]) {
        ground.append(svg("circle", { cx: MARGIN + x * SQUARE, cy: MARGIN + y * SQUARE, r: 3.5, class: "dot" }));
      }
    }
  }

  // Hexes, and the edges that each side joins: Black's above and below, White's left and right.
  #hexes(ground) {
    const { rows, columns } = this;
    const corners = (row, column, ...which) => which.map((corner) => this.#corners(this.#square(row, column))[corner]);
    const along = (count, pick) => [...Array(count).keys()].flatMap(pick);
    const edge = (side, points) => ground.append(
      svg("polyline", { points: points.join(" "), class: "join rim" }),
      svg("polyline", { points: points.join(" "), class: `join ${side}` }),
    );
    edge("black", along(columns, (column) => corners(0, column, 5, 0, 1)));
    edge("black", along(columns, (column) => corners(rows - 1, column, 4, 3, 2)));
    edge("white", along(rows, (row) => corners(row, 0, 5, 4)));
    edge("white", along(rows, (row) => corners(row, columns - 1, 1, 2)));
    for (let square = 0; square < rows * columns; square += 1) {
      ground.append(svg("polygon", { points: this.#corners(square).join(" "), class: "hex" }));
    }
    const text = (x, y, content) => ground.append(svg("text", { x, y: y + 5, "font-size": 14, class: "edge", "text-anchor": "middle" }, content));
    for (let column = 0; column < columns; column += 1) {
      text(this.#center(this.#square(0, column))[0], MARGIN / 2 - 5, this.#letter(column));
    }
    for (let row = 0; row < rows; row += 1) {
      const [x, y] = this.#center(this.#square(row, 0));
      text(x - SQUARE / 2 - MARGIN / 2, y, this.#number(row));
    }
  }

  #piece(square, symbol) {
    const [x, y] = this.#center(square);
    const isNumbered = this.view.labels.some((label) => label);
    const radius = SQUARE * (isNumbered || this.drawn === "hexes" ? 0.38 : 0.41);
    const disc = svg("g", { class: `piece ${colorOf(symbol)}` },
      svg("circle", { cy: 1.5, r: radius, class: "shadow" }),
      svg("circle", { r: radius, class: "disc" }));
    if ("BW".includes(symbol)) disc.append(svg("path", { d: CROWN, class: "crown" }));
    const place = svg("g", { transform: `translate(${x} ${y})` }, disc);
    this.pieceLayer.append(place);
    return { place, disc, symbol };
  }

  #pieces(before, after, path) {
    const isMoving = path !== null && before !== undefined && !isStill();
    [...after].forEach((symbol, square) => {
      const known = this.pieces.get(square);
      if (known?.symbol === symbol || (!known && !isPiece(symbol))) return;
      this.pieces.delete(square);
      if (!isPiece(symbol)) {
        this.#remove(known, isMoving && path[0] !== square);
        return;
      }
      const made = this.#piece(square, symbol);
      this.pieces.set(square, made);
      if (!isMoving) {
        known?.place.remove();
      } else if (known) {
        this.#flip(known, made, this.#distance(square, path.at(-1)));
      } else if (path.length > 1 && square === path.at(-1)) {
        this.#travel(made, path);
      } else {
        made.disc.animate([{ transform: "scale(0.4)" }, { transform: "scale(1)" }], STEP_MS);
      }
    });
  }

  #distance(one, other) {
    const [[row, column], [toRow, toColumn]] = [this.#place(one), this.#place(other)];
    return Math.max(Math.abs(row - toRow), Math.abs(column - toColumn));
  }

  #remove(piece, isSeen) {
    if (!isSeen) {
      piece.place.remove();
      return;
    }
    piece.disc.animate([{ opacity: 1 }, { opacity: 0 }], { duration: 2 * STEP_MS, fill: "forwards" })
      .finished.then(() => piece.place.remove(), () => piece.place.remove());
  }

  #flip(old, made, distance) {
    const delay = (distance - 1) * 60;
    made.disc.animate([{ transform: "scaleX(0)" }, { transform: "scaleX(1)" }],
      { duration: STEP_MS, delay: delay + STEP_MS, fill: "backwards" });
    old.disc.animate([{ transform: "scaleX(1)" }, { transform: "scaleX(0)" }],
      { duration: STEP_MS, delay, fill: "forwards" })
      .finished.then(() => old.place.remove(), () => old.place.remove());
  }

  #travel(made, path) {
    const [toX, toY] = this.#center(path.at(-1));
    const steps = path.map((square) => {
      const [x, y] = this.#center(square);
      return { transform: `translate(${x - toX}px, ${y - toY}px)` };
    });
    made.disc.animate(steps, { duration: STEP_MS * (path.length - 1) + 60, easing: "ease-in-out" });
  }

  // What squares are worth: orange is good, blue is bad, and the number is there for everybody.
  #heat(view) {
    const squares = [];
    for (const [square, { strength }] of view.heat ?? []) {
      const look = { class: "heat", fill: heatColor(strength) };
      if (this.drawn === "hexes") {
        squares.push(svg("polygon", { points: this.#corners(square).join(" "), ...look }));
        continue;
      }
      const [x, y] = this.#center(square);
      squares.push(svg("rect", { x: x - SQUARE / 2 + 1, y: y - SQUARE / 2 + 1, width: SQUARE - 2, height: SQUARE - 2, ...look }));
    }
    this.heatLayer.replaceChildren(...squares);
  }

  #marks(view) {
    const marks = [];
    const isHot = (view.heat?.size ?? 0) > 0;
    const longest = Math.max(0, ...[...(view.heat ?? new Map()).values()].map(({ text }) => text.length));
    const size = longest > 5 ? 10 : longest > 4 ? 11 : 12;
    for (const [square, { text, strength }] of view.heat ?? []) {
      if (view.values?.has(square)) continue;
      const [x, y] = this.#center(square);
      const symbol = view.cells[square];
      const isDark = isPiece(symbol) ? colorOf(symbol) === "black" : Math.abs(strength) > 0.6;
      marks.push(svg("text", { x, y: y + size * 0.35, "font-size": size, "text-anchor": "middle", class: isDark ? "heat-text on-dark" : "heat-text" }, text));
    }
    const last = view.last ?? [];
    if (last.length > 1) {
      const points = last.map((square) => this.#center(square).join()).join(" ");
      marks.push(svg("polyline", { points, class: "way" }));
    }
    if (last.length) {
      const [x, y] = this.#center(last.at(-1));
      // Beside the number, if there is one.
      const aside = isHot ? SQUARE / 2 - 6 : 0;
      marks.push(svg("circle", { cx: x + aside, cy: y - aside, r: 5, class: "last" }));
    }
    for (const square of view.selected ?? []) {
      const [x, y] = this.#center(square);
      marks.push(svg("rect", { x: x - SQUARE / 2 + 2, y: y - SQUARE / 2 + 2, width: SQUARE - 4, height: SQUARE - 4, class: "selected" }));
    }
    for (const square of view.isEdited ? [] : view.targets ?? []) {
      const [cx, cy] = this.#center(square);
      const kind = isPiece(view.cells[square]) ? "movable" : `legal ${view.turn}`;
      const r = isPiece(view.cells[square]) ? SQUARE * 0.44 : isHot ? SQUARE * 0.4 : 6;
      if (!view.values?.has(square)) marks.push(svg("circle", { cx, cy, r, class: kind }));
    }
    for (const { path, kind } of view.ways ?? []) {
      const [cx, cy] = this.#center(path.at(-1));
      if (path.length > 1) marks.push(svg("polyline", { points: path.map((one) => this.#center(one).join()).join(" "), class: `way ${kind}` }));
      // Around a value, and below it: a wide one is not cut.
      const r = view.values?.has(path.at(-1)) ? 21 : 12;
      marks.push(svg("circle", { cx, cy, r, class: `ring ${kind}` }));
    }
    for (const [square, { text, isBest }] of view.values ?? []) {
      const [x, y] = this.#center(square);
      marks.push(svg("rect", { x: x - 20, y: y - 10, width: 40, height: 20, rx: 10, class: isBest ? "value best" : "value" }));
      const size = text.length > 5 ? 10 : 13;
      marks.push(svg("text", { x, y: y + size * 0.35, "font-size": size, "text-anchor": "middle", class: isBest ? "value-text best" : "value-text" }, text));
    }
    this.markLayer.replaceChildren(...marks);
  }

  #cells(view) {
    this.grid.setAttribute("aria-label", view.name ?? "Board");
    const targets = new Set(view.targets ?? []);
    // The boards whose squares have numbers are those of draughts.
    const hasKings = view.labels.some((label) => label);
    if (!view.squares[this.focus]) this.focus = view.squares.findIndex((name) => name);
    this.cells.forEach((cell, square) => {
      const symbol = view.cells[square];
      const what = isPiece(symbol) ? `${colorOf(symbol)}${"BW".includes(symbol) ? " king" : hasKings ? " man" : ""}` : "empty";
      const value = view.values?.get(square);
      const parts = [view.squares[square], what];
      if (targets.has(square) && !view.isEdited) parts.push(isPiece(symbol) ? "can move" : "legal move");
      if ((view.selected ?? []).includes(square)) parts.push("selected");
      if ((view.last ?? []).at(-1) === square) parts.push("last move");
      const heat = view.heat?.get(square);
      if (heat) parts.push(`square worth ${heat.text}`);
      if (value) parts.push(`value ${value.text}${value.isBest ? ", best" : ""}`);
      cell.setAttribute("aria-label", view.squares[square] ? parts.join(", ") : "light square, not used");
      cell.setAttribute("tabindex", square === this.focus ? "0" : "-1");
      cell.classList.toggle("target", targets.has(square));
      cell.setAttribute("aria-selected", String((view.selected ?? []).includes(square)));
    });
  }

  #clicked(event) {
    const cell = event.target.closest("[data-square]");
    if (cell === null) return;
    this.#moveFocus(Number(cell.dataset.square));
    this.chosen(this.focus);
  }

  #moveFocus(square) {
    this.cells[this.focus].setAttribute("tabindex", "-1");
    this.focus = square;
    this.cells[square].setAttribute("tabindex", "0");
    this.cells[square].focus({ preventScroll: true });
  }

  #key(event) {
    const { rows, columns } = this;
    const [row, column] = this.#place(this.focus);
    const at = (y, x) => this.#square(Math.min(rows - 1, Math.max(0, y)), Math.min(columns - 1, Math.max(0, x)));
    const to = {
      ArrowUp: at(row - 1, column), ArrowDown: at(row + 1, column),
      ArrowLeft: at(row, column - 1), ArrowRight: at(row, column + 1),
      Home: at(row, 0), End: at(row, columns - 1),
    }[event.key];
    if (to !== undefined) this.#moveFocus(to);
    else if (event.key === "Enter" || event.key === " ") this.chosen(this.focus);
    else return;
    event.preventDefault();
  }
}
