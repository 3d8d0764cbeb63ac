/** What the server does with a request that it has received, and how often in a thousand. */
const perThousand = {
  none: 817,
  /** 103, then 200. */
  "early-hints": 30,
  unavailable: 80,
  /** 503 with 1 MiB, which no client should read to its end. */
  "unavailable-large": 10,
  /** 503 whose body takes longer than the client's wait. */
  "unavailable-drip": 10,
  drip: 20,
  /** The connection is reset before any answer. */
  reset: 20,
  /** Less is sent than the content-length says, then the connection is closed. */
  truncated: 10,
  /** No answer: the client's timeout ends it. */
  hang: 3,
  /** Only for callers that abort: 103, so that the server is known to have it, then 503. */
  announced: 0,
} as const;

export type Fault = keyof typeof perThousand;

export const faults: readonly Fault[] = Object.keys(perThousand) as Fault[];

export function drawFault(random: () => number): Fault {
  let left = random() * 1000;
  for (const fault of faults) {
    left -= perThousand[fault];
    if (left < 0) return fault;
  }
  return "none";
}
