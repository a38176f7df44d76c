// What goes wrong is said at the bottom of the page, for a while.

const place = document.getElementById("message");
let timer = 0;

export function say(text) {
  clearTimeout(timer);
  place.textContent = text;
  if (text) timer = setTimeout(() => say(""), 9000);
}

// Do something that may fail, and say why if it does.
export async function trying(work) {
  try {
    return await work();
  } catch (error) {
    say(error.message);
    return undefined;
  }
}
