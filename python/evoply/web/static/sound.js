// A click when a piece is put down, made of a falling tone: nothing is loaded. Off by default.

import { wish } from "./settings.js";

let audio = null;

export function click(isOpponents) {
  if (!wish("sound", false)) return;
  // Only here: browsers allow it only after somebody has touched the page.
  audio ??= new AudioContext();
  audio.resume();
  const [tone, loud, now] = [audio.createOscillator(), audio.createGain(), audio.currentTime];
  tone.type = "triangle";
  tone.frequency.setValueAtTime(isOpponents ? 420 : 560, now);
  tone.frequency.exponentialRampToValueAtTime(120, now + 0.07);
  loud.gain.setValueAtTime(0.25, now);
  loud.gain.exponentialRampToValueAtTime(0.001, now + 0.09);
  tone.connect(loud).connect(audio.destination);
  tone.start(now);
  tone.stop(now + 0.1);
}
