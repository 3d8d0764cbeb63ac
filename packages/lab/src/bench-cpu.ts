/** As many as an application may have under way. */
export const inFlight = 16;

/** CPU microseconds of one call. */
export async function cpuOf(call: () => Promise<unknown>, calls: number): Promise<number> {
  let begun = 0;
  const callInTurn = async (): Promise<void> => {
    while (begun < calls) {
      begun++;
      await call();
    }
  };
  const begin = process.cpuUsage();
  await Promise.all(Array.from({ length: inFlight }, callInTurn));
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / calls;
}
