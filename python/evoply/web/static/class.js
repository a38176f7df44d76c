// The class: hand in a bot, see who has handed in, and the results that the teacher has written.

import { get, post } from "./api.js";
import { again, make, renew, table } from "./dom.js";
import { trying } from "./messages.js";
import { moment } from "./words.js";

const place = document.getElementById("view-class");
const PAUSE = 5; // s until the list is asked for again
const KEY = "evoply-code-";
let end = null;

const name = make("input", { id: "class-name", required: true, maxlength: 30, pattern: "[A-Za-z0-9_\\-]+", autocomplete: "off", spellcheck: "false",
  title: "letters, digits, - and _", "aria-describedby": "class-note" });
const file = make("input", { id: "class-file", type: "file", accept: ".py", required: true });
const code = make("input", { id: "class-code", autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
const answer = make("p", { id: "class-note", role: "status", "aria-live": "polite" });
const list = make("div", { id: "class-list" });

export function show() {
  if (!place.childElementCount) {
    const form = make("form", { class: "panel", submit: (event) => { event.preventDefault(); handIn(); } },
      make("h3", {}, "Hand in a bot"),
      make("label", {}, "Its name: letters, digits, - and _ ", name),
      make("label", {}, "Its file, a .py of at most 256 kB ", file),
      make("details", {}, make("summary", {}, "Again from another device"),
        make("label", {}, "The code that was shown the first time ", code)),
      answer,
      make("button", { type: "submit", class: "main" }, "Hand in"));
    place.replaceChildren(make("div", { class: "head" }, make("h2", {}, "Class")), form, list);
  }
  end?.();
  end = again(load, PAUSE);
}

export function leave() {
  end?.();
  end = null;
}

const load = () => trying(async () => renew(list, await get("/api/class"), ({ bots, has_results }) => [
  ...(has_results ? [make("p", {}, make("a", { href: "/class/results/index.html", id: "class-results" }, "Results of the class"))] : []),
  ...(bots.length ? [table(["name", "handed in", "result"], bots.map((bot) => [bot.name, moment(bot.when),
    bot.has_result ? make("a", { href: `/class/results/${bot.name}.html`, "aria-label": `Result of ${bot.name}` }, "result") : "not yet"]), "Bots of the class")]
    : [make("p", {}, "Nobody has handed in a bot yet.")]),
]));

// The bytes of the file as they are, in base64.
const read = (one) => new Promise((done, failed) => {
  const reader = new FileReader();
  reader.addEventListener("load", () => done(reader.result.slice(reader.result.indexOf(",") + 1)));
  reader.addEventListener("error", () => failed(new Error("The file cannot be read.")));
  reader.readAsDataURL(one);
});

function remembered(bot) {
  try {
    return localStorage.getItem(KEY + bot) ?? "";
  } catch {
    return "";
  }
}

function remember(bot, text) {
  try {
    localStorage.setItem(KEY + bot, text);
  } catch {
    // It stands on the page, to be written down.
  }
}

async function handIn() {
  const [bot, chosen] = [name.value.trim(), file.files[0]];
  name.removeAttribute("aria-invalid");
  file.removeAttribute("aria-invalid");
  answer.className = "wrong";
  try {
    if (chosen.size > 256 * 1024) throw new Error("source: the file has more than 256 kB");
    const made = await post("/api/class", { name: bot, source: await read(chosen), code: code.value.trim() || remembered(bot) });
    if (made.code) remember(bot, made.code);
    answer.className = "";
    answer.textContent = made.code
      ? `${bot} was handed in. Its code is ${made.code}: write it down. With it you can hand in ${bot} again from another device.`
      : `${bot} was handed in again.`;
    load();
  } catch (error) {
    const [, field, text] = /^(name|source): (.*)$/s.exec(error.message) ?? [null, "", error.message];
    const where = { name, source: file }[field];
    where?.setAttribute("aria-invalid", "true");
    where?.focus();
    answer.textContent = field === "source" ? `${chosen.name}: ${text}` : text;
  }
}
