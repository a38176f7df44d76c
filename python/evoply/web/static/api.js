// The server, as functions. Every answer is JSON; every error is an Error with its sentence.

const token = document.querySelector("meta[name=evoply-token]").content;

async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
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

export const get = (path) => ask(path);
export const post = (path, body) => ask(path, body);

// Hear of every change of a game; returns what ends it. A lost connection is made again.
export function live(game, told) {
  let socket = null;
  let isEnded = false;
  let wait = 500;
  const open = () => {
    socket = new WebSocket(`ws://${location.host}/api/games/${game}/live`);
    socket.onmessage = (event) => {
      wait = 500;
      told(JSON.parse(event.data));
    };
    socket.onclose = (event) => {
      if (isEnded || event.code === 1008) return;
      setTimeout(() => isEnded || open(), wait);
      wait = Math.min(2 * wait, 10000);
    };
  };
  open();
  return () => {
    isEnded = true;
    socket.close();
  };
}
