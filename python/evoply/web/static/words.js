// Numbers and states of runs in words.

import { make } from "./dom.js";

export const titled = (word) => word[0].toUpperCase() + word.slice(1);

export const percent = (share) => (share === null ? "" : `${(100 * share).toFixed(1)} %`);

export const moment = (text) => (text ? new Date(text).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }) : "");

export function duration(seconds) {
  if (seconds < 100) return `${Math.ceil(seconds)} s`;
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

// A word, and a mark that tells at a glance whether something goes on.
export function status(run) {
  const mark = { running: "▶", starting: "▶", paused: "❚❚", finished: "✓", limit: "✓", unreadable: "!" }[run.status] ?? "■";
  return make("span", { class: `status ${run.status}`, title: run.trouble ?? "" },
    make("span", { "aria-hidden": "true" }, `${mark} `), run.status_in_words);
}
