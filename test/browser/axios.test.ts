import { aborts } from "./aborts.js";
import { answers } from "./answers.js";
import { bodies } from "./bodies.js";
import { inChromium } from "./chromium.js";
import { deadlines } from "./deadlines.js";
import { failures } from "./failures.js";
import { outage } from "./outage.js";
import { progress } from "./progress.js";
import { urls } from "./urls.js";
import { waits } from "./waits.js";
import { workers } from "./workers.js";

// In one file, since to start a browser takes longer than any of them.
inChromium("@retry-budget/axios", (open) => {
  answers(open);
  outage(open);
  aborts(open);
  deadlines(open);
  bodies(open);
  urls(open);
  waits(open);
  failures(open);
  workers(open);
  progress(open);
});
