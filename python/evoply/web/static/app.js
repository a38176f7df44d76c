// Where the page begins, and which view is shown: the address says it, after its #.
// A view is a <main id="view-NAME"> and a link of index.html, and a row here. Its module is loaded
// when it is first shown; show(hash) is called whenever the address changes within it, leave() when
// another one is shown.

import { trying } from "./messages.js";
import { hasClass, isAtMachine } from "./names.js";

const VIEWS = [
  { name: "runs", is: /^#runs?\b/, load: async () => import("./runs.js") },
  { name: "games", is: /^#games\b/, load: async () => import("./my-games.js") },
  { name: "compare", is: /^#compare\b/, load: async () => import("./compare.js") },
  { name: "rules", is: /^#rules\b/, load: async () => import("./rules.js") },
  { name: "puzzles", is: /^#puzzles\b/, load: async () => import("./puzzles.js") },
  { name: "class", is: /^#class\b/, load: async () => import("./class.js") },
  { name: "help", is: /^#help\b/, load: async () => ({ show: showHelp }) },
  // The last one is shown for every other address.
  { name: "play", is: /^/, load: async () => ({ show: (await import("./play.js")).showPlay }) },
];

let shown = null;

function showHelp(hash) {
  const part = document.getElementById(hash.slice(1));
  if (part) part.scrollIntoView();
  else scrollTo(0, 0);
}

async function go() {
  const { hash } = location;
  const view = VIEWS.find((one) => one.is.test(hash));
  if (shown !== view) {
    shown?.module?.leave?.();
    shown = view;
    for (const { name } of VIEWS) {
      document.getElementById(`view-${name}`).hidden = name !== view.name;
      const link = document.querySelector(`nav [data-view=${name}], footer [data-view=${name}]`);
      if (name === view.name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }
  view.module ??= await view.load();
  // Another one may have been asked for meanwhile.
  if (shown === view && location.hash === hash) await view.module.show(hash);
}

document.body.classList.toggle("elsewhere", !isAtMachine);
document.body.classList.toggle("without-class", !hasClass);
addEventListener("hashchange", () => trying(go));
trying(go);
