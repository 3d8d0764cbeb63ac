import { answerParent } from "./answer-parent.js";
import { type Storage, subjectsIn } from "./bench-context-plan.js";
import { interleave } from "./interleave.js";

/** All that goes with one state of AsyncLocalStorage, in turn. */
const [storage = "", , calls = "0", warmUps = "0", rounds = "0"] = process.argv.slice(2);

if (storage === "absent") withholdStorage();
// Only now: core asks for it once, when it is loaded.
const { contextSubjects } = await import("./bench-context-subjects.js");

/** CPU nanoseconds of one. */
async function measure(name: string): Promise<number> {
  const times = Number(calls);
  const begin = process.cpuUsage();
  await contextSubjects[name]?.(times);
  const { user, system } = process.cpuUsage(begin);
  return ((user + system) * 1000) / times;
}

const measures = subjectsIn(storage as Storage).map((name) => () => measure(name));
answerParent(async () => {
  // Before the first round, so that all of them are alike.
  if (storage === "used") await contextSubjects["within()"]?.(1);
  return interleave(measures, Number(warmUps), Number(rounds));
});

function withholdStorage(): void {
  const { getBuiltinModule } = process;
  const withhold = (id: string): object | undefined =>
    id === "async_hooks" ? undefined : getBuiltinModule(id);
  Object.assign(process, { getBuiltinModule: withhold });
}
