// A question before something is lost. Escape, and closing it, mean no.

import { make } from "./dom.js";

export function agreed(text, yes, no) {
  return new Promise((resolve) => {
    const dialog = make("dialog", { "aria-labelledby": "dialog-text", class: "question" },
      make("p", { id: "dialog-text" }, text),
      make("form", { method: "dialog", class: "tools" },
        make("button", { value: "no", autofocus: true }, no),
        make("button", { value: "yes", class: "sure" }, yes)));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
