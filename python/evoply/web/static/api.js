// The server, as functions. Every answer is JSON; every error is an Error with its sentence. When
// the server is gone this says so, waits until it is back, and learns the token of the new one.

const PAUSE = 700; // ms between two looks whether the server is back
const LONGEST_PAUSE = 5000;

let token = document.querySelector("meta[name=evoply-token]").content;
let isGone = false;
const waiting = new Set();
const place = document.getElementById("gone");

// A server that was started again has another token, which stands in its page.
async function renewToken() {
  const answer = await fetch("/", { cache: "no-store" });
  if (answer.status === 401) signIn();
  const found = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("meta[name=evoply-token]")?.content;
  if (!found || found === token) return false;
  token = found;
  return true;
}

// Who comes from another device has no session any more: the address shows the sign-in, and leads
// back here afterwards.
function signIn() {
  location.reload();
}

// Say that the server is gone, and call `back` when it answers again.
async function lost(back = null) {
  if (back) waiting.add(back);
  if (isGone) return;
  isGone = true;
  place.textContent = "The server is gone; this page goes on when it is back.";
  while (isGone) {
    await new Promise((done) => setTimeout(done, PAUSE));
    try {
      const answer = await fetch("/api/health");
      if (answer.status === 401) signIn();
      if (!answer.ok) continue;
      await renewToken();
      isGone = false;
    } catch {
      // Not yet.
    }
  }
  place.textContent = "";
  const called = [...waiting];
  waiting.clear();
  for (const one of called) one();
}

function send(path, method, body) {
  const options = method === "GET" ? {} : {
    method,
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
  return fetch(path, options);
}

async function ask(method, path, body) {
  let answer;
  try {
    answer = await send(path, method, body);
    // Refused before anything was done, so it can be asked again.
    if (answer.status === 401 && await renewToken()) answer = await send(path, method, body);
  } catch {
    lost();
    throw new Error("The server does not answer: is `evoply web` still running?");
  }
  const isJson = (answer.headers.get("content-type") ?? "").startsWith("application/json");
  const content = isJson ? await answer.json() : await answer.text();
  if (!answer.ok) {
    // What is wrong with which field, where a form has some: {field, error}.
    const { error = `The server says ${answer.status}.`, errors = [] } = content;
    throw Object.assign(new Error(error), { errors, status: answer.status });
  }
  return content;
}

export const get = (path) => ask("GET", path);
export const post = (path, body) => ask("POST", path, body);
export const remove = (path) => ask("DELETE", path);

// Begin a game, and show it.
export async function beginGame(body) {
  const { id } = await post("/api/games", body);
  location.hash = `#game=${id}`;
}

// The server answers one question about a game after another: those of the page wait for their turn.
let last = Promise.resolve();
export function inTurn(work) {
  const next = last.then(work);
  last = next.catch(() => {});
  return next;
}

// Hear of every change of a game; returns what ends it. A lost connection is made again; `ended` is
// called with the reason if there is nothing more to hear, as the game was deleted.
export function live(game, told, ended) {
  let socket = null;
  let isEnded = false;
  let wait = PAUSE;
  const open = () => {
    if (isEnded) return;
    socket = new WebSocket(`ws://${location.host}/api/games/${game}/live`);
    socket.onmessage = (event) => {
      wait = PAUSE;
      told(JSON.parse(event.data));
    };
    socket.onclose = (event) => closed(event).catch(() => lost(open));
  };
  const closed = async (event) => {
    if (isEnded) return;
    let refusal = event.code === 1008 ? event.reason : null;
    if (refusal === null) {
      // A connection that was refused does not say why, an answer does.
      const answer = await fetch(`/api/games/${game}`);
      if (answer.status === 404) refusal = (await answer.json()).error;
    }
    if (isEnded) return;
    if (refusal !== null) {
      ended(refusal);
      return;
    }
    setTimeout(open, wait);
    wait = Math.min(2 * wait, LONGEST_PAUSE);
  };
  open();
  return () => {
    isEnded = true;
    socket?.close();
  };
}
