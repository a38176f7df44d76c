// Where the page begins.

import { startPlay } from "./play.js";

startPlay();
