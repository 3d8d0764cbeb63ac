/** @throws Error that names what did not end in time; asked for the name only then. */
export async function withinTime<Value>(
  ms: number,
  work: Promise<Value>,
  name: () => string,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${name()} did not end within ${ms} ms.`)), ms);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
