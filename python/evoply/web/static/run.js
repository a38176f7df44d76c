// One run: how far it is, its charts while they grow, its champions, and games between them.

import { beginGame, get, live, post } from "./api.js";
import { Board } from "./board.js";
import { LineChart } from "./charts.js";
import { again, drawing, make, renew, table } from "./dom.js";
import { trying } from "./messages.js";
import { duration, percent, status, titled } from "./words.js";

const OFTEN = 1;
const SELDOM = 5;
const FIRST_CHARTS = 6;

// Show the run called `name` in `place`; returns what ends it.
export function showRun(place, name) {
  const path = `/api/runs/${name.split("/").map(encodeURIComponent).join("/")}`;
  const parts = Object.fromEntries(["head", "progress", "champion", "matches", "facts", "charts", "tables", "config"]
    .map((part) => [part, make("section", { class: `run-${part}` })]));
  place.replaceChildren(...Object.values(parts));
  const charts = new Map();
  const champion = showChampion(parts.champion, path);
  let known = null;

  function show(run) {
    if (known?.version === run.version) return;
    known = run;
    const { name, status: state, status_in_words, request, is_going_on, can_go_on, trouble } = run;
    const hasEnded = ["finished", "limit"].includes(state) && !is_going_on;
    renew(parts.head, { name, status: state, status_in_words, request, is_going_on, can_go_on, trouble, ended: hasEnded && run.generations, step: run.step_word },
      (shown) => head(shown, ask));
    parts.progress.replaceChildren(...progress(run));
    parts.facts.replaceChildren(...(run.facts.length ? [make("h2", {}, "How it was found"), facts(run.facts)] : []));
    showCharts(run.charts);
    champion.heard(run);
    renew(parts.matches, run.matches, () => matches(run));
    renew(parts.tables, run.tables, () => run.tables.flatMap((one) => oneTable(one, run)));
    renew(parts.config, [run.command, run.config], () => [make("details", {}, make("summary", {}, "What was asked for"),
      make("p", { class: "note" }, run.command ? `Begun by ${run.command}` : "Begun from Python"), make("pre", { tabindex: "0" }, run.config))]);
  }

  function showCharts(shown) {
    if (!shown.length) return;
    const titles = shown.map((one) => one.title);
    if (titles.join() !== [...charts.keys()].join()) {
      charts.clear();
      for (const title of titles) charts.set(title, new LineChart());
      const grid = (all) => make("div", { class: "charts" }, ...all.map((one) => one.element));
      const all = [...charts.values()];
      const more = all.slice(FIRST_CHARTS);
      parts.charts.replaceChildren(make("h2", {}, titled(`${known.step_word}s`)), grid(all.slice(0, FIRST_CHARTS)),
        ...(more.length ? [make("details", { class: "more" }, make("summary", {}, "More charts"), grid(more))] : []));
    }
    for (const one of shown) charts.get(one.title).show(one);
  }

  const ask = (request, more = {}) => trying(async () => show(await post(`${path}/requests`, { request, ...more })));

  const endWatching = again(() => trying(async () => {
    const run = await get(path);
    show(run);
    return run.is_going_on || run.status === "starting" ? OFTEN : SELDOM;
  }), SELDOM);
  return () => {
    endWatching();
    champion.end();
  };
}

function head(run, ask) {
  const button = (text, request, isOn = true) => make("button", { type: "button", disabled: !isOn, click: () => ask(request) }, text);
  const buttons = [];
  if (run.is_going_on) {
    const isPaused = run.status === "paused";
    buttons.push(isPaused ? button("Go on", "resume") : button("Pause", "pause", run.request === null), button("Stop", "stop", run.request !== "stop"));
  } else if (run.can_go_on) {
    buttons.push(button("Go on", "resume"));
  } else if (run.ended) {
    buttons.push(...longer(run.ended, run.step, ask));
  }
  const when = run.status === "starting" ? "as soon as it has begun" : `after this ${run.step}`;
  const wait = run.request !== null && run.status !== "paused" ? `: it will ${run.request} ${when}` : "";
  return [
    make("p", { class: "up" }, make("a", { href: "#runs" }, "All runs")),
    make("div", { class: "head" }, make("h2", {}, run.name), make("p", {}, status(run), wait),
      make("div", { class: "tools at-machine" }, ...buttons)),
    ...(run.trouble ? [make("p", { class: "trouble", role: "alert" }, `It has failed: ${run.trouble}`)] : []),
  ];
}

// What has ended goes on if it may make more steps.
function longer(count, step, ask) {
  const more = make("input", { type: "number", min: count + 1, value: 2 * count, "aria-label": `${titled(step)}s in all` });
  return [more, make("button", { type: "button", click: () => ask("resume", { generations: Number(more.value) }) }, `Go on to this many ${step}s`)];
}

function progress(run) {
  const count = run.generations.toLocaleString("en");
  const of = run.goal === null ? "" : ` of ${run.goal.toLocaleString("en")}`;
  const left = run.is_going_on && run.seconds_left !== null ? `, about ${duration(run.seconds_left)} left` : "";
  const bar = run.goal === null || !run.is_going_on ? [] : [make("progress", { max: run.goal, value: run.generations, "aria-label": `${titled(run.step_word)}s made` })];
  return [make("p", {}, `${run.game_title}. ${count}${of} ${run.step_word}${run.generations === 1 && !of ? "" : "s"}${left}.`), ...bar];
}

const facts = (found) => make("dl", { class: "facts" }, ...found.map(([label, value]) => make("div", {}, make("dt", {}, label), make("dd", {}, value))));

function oneTable({ title, note, columns, rows, picture }, run) {
  const cells = rows.map((row) => row.map((text, index) => (columns[index] === "tree" ? make("code", {}, text) : text)));
  return [make("h2", {}, title), make("p", { class: "note" }, note), ...playable(picture, run), make("div", { class: "scroll wide", tabindex: "0" }, table(columns, cells, title))];
}

// A picture whose cells are players: who points at one hears of it, and may play against it.
function playable(picture, run) {
  if (!picture) return [];
  const svg = drawing(picture);
  const about = make("div", { class: "about", role: "status" }, make("p", {}, "Choose a cell to see its player and to play against it."));
  let chosen = null;
  const choose = (cell) => {
    const [said, tree] = cell.querySelector("title").textContent.split("\n");
    const player = `champion@${run.name}@${cell.dataset.cell}`;
    const play = () => trying(() => beginGame({ game: run.game, black: "person", white: player }));
    chosen?.removeAttribute("aria-pressed");
    chosen = cell;
    chosen.setAttribute("aria-pressed", "true");
    about.replaceChildren(make("p", {}, said), make("p", {}, make("code", {}, tree)),
      make("button", { type: "button", class: "main", click: play }, "Play against it"));
  };
  for (const cell of svg.querySelectorAll("[data-cell]")) {
    cell.setAttribute("tabindex", "0");
    cell.setAttribute("role", "button");
    cell.setAttribute("aria-label", cell.querySelector("title").textContent.split("\n")[0]);
    cell.addEventListener("click", () => choose(cell));
    cell.addEventListener("keydown", (event) => {
      if (!["Enter", " "].includes(event.key)) return;
      event.preventDefault();
      choose(cell);
    });
  }
  return [make("figure", { class: "map elites" }, svg, about)];
}

function matches(run) {
  if (!run.matches.length) return [];
  const rows = run.matches.map((one) => [one.opponent, `+${one.wins} =${one.draws} −${one.losses}`, percent(one.score),
    one.interval === null ? "too few distinct games" : `${percent(one.interval[0])} to ${percent(one.interval[1])}`]);
  return [make("h2", {}, "Test matches"), table(["opponent", "result", "score", "95 % interval"], rows, "Test matches of the champion")];
}

// The champion now, or of an earlier step: its tree, what is new in it, and games with it.
function showChampion(place, path) {
  const NOW = "";
  let run = null;
  let shown = null; // the answer and for which question
  let endGame = () => {};
  const which = make("select", { "aria-label": "Which champion" });
  const about = make("div");
  const rival = make("select", { "aria-label": "Against the champion of" });
  const game = make("div", { class: "watched" });
  const playIt = make("button", { type: "button", class: "main" }, "Play this one");
  const watch = make("button", { type: "button" }, "Watch");
  which.addEventListener("change", () => trying(ask));
  playIt.addEventListener("click", () => trying(play));
  watch.addEventListener("click", () => trying(watchGame));

  function heard(state) {
    run = state;
    if (!run.generations) return;
    if (!place.hasChildNodes()) {
      place.append(make("h2", {}, "Champion"),
        make("div", { class: "tools" }, which, playIt, make("label", { class: "copy" }, "against that of ", rival), watch), game, about);
    }
    for (const [select, first] of [[which, [new Option("the champion now", NOW)]], [rival, []]]) {
      const before = select.value || (select === rival ? String(run.champions[0]) : NOW);
      renew(select, run.champions, (all) => [...first, ...[...all].reverse().map((one) => new Option(`${run.step_word} ${one}`, one))]);
      select.value = before;
    }
    trying(ask);
  }

  async function ask() {
    // Which one is the champion now may be another one after every change.
    const question = which.value === NOW ? `${run.version}` : which.value;
    if (shown === question) return;
    const generation = which.value;
    const found = await get(`${path}/champion${generation === NOW ? "" : `?generation=${generation}`}`);
    if (generation !== which.value) return;
    shown = question;
    show(found);
  }

  function show(champion) {
    const size = champion.nodes === null ? "" : `, ${champion.nodes} node${champion.nodes === 1 ? "" : "s"}`;
    const strength = champion.strength ? `: ${champion.strength.replaceAll("`", "")}` : "";
    const parts = [make("p", {}, make("b", {}, champion.title), size, strength, ".")];
    if (champion.before !== null && champion.new_nodes !== null) {
      const fresh = { 0: "No node is new", 1: "One node is new (outlined)" }[champion.new_nodes] ?? `${champion.new_nodes} nodes are new (outlined)`;
      const gone = champion.gone.length ? "; gone: " : ".";
      parts.push(make("p", { class: "change" }, `${fresh} since the champion of ${run.step_word} ${champion.before}${gone}`,
        ...champion.gone.flatMap((text, index) => [index ? ", " : "", make("code", {}, text)])));
    }
    if (champion.tree !== null) {
      parts.push(make("div", { class: "tree scroll", tabindex: "0", role: "group", "aria-label": "The tree" }, drawing(champion.tree)));
    }
    if (champion.board !== null) parts.push(make("figure", { class: "map" }, drawing(champion.board), make("figcaption", {}, "What a piece of its own adds on each square")));
    parts.push(make("details", {}, make("summary", {}, "As text"), make("pre", { tabindex: "0" }, champion.formula)));
    about.replaceChildren(...parts);
    about.dataset.player = champion.player;
  }

  const player = (generation) => `champion@${run.name}${generation === NOW ? "" : `@${generation}`}`;

  async function play() {
    await beginGame({ game: run.game, black: "person", white: player(which.value) });
  }

  // A game on the board, here; the server plays it, and it can be opened like any other.
  async function watchGame() {
    endGame();
    const state = await post("/api/games", { game: run.game, black: player(which.value), white: player(rival.value) });
    const board = make("div", { class: "small-board" });
    const said = make("p", { role: "status" });
    const picture = new Board(board, () => {});
    game.replaceChildren(board, said, make("p", {}, make("a", { href: `#game=${state.id}` }, "Open this game")));
    let plies = null;
    endGame = live(state.id, (now) => {
      const last = now.moves.at(-1);
      const isNext = plies !== null && now.moves.length === plies + 1;
      plies = now.moves.length;
      picture.show({ ...now, last: last?.path ?? [], selected: [], targets: [], name: `${now.title}, ${now.status}` }, isNext && last.path.length ? last.path : null);
      said.textContent = `Black: ${now.black.label}, ${now.black.pieces_in_words}. White: ${now.white.label}, ${now.white.pieces_in_words}.`
        + `${now.trouble ? ` It cannot go on: ${now.trouble}` : now.is_over ? ` ${now.result}.` : ""}`;
    });
  }

  return { heard, end: () => endGame() };
}
