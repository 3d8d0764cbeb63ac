/** The error of a promise that is to reject; one that says so if it does not. */
export async function errorOf<Reason = Error>(promise: Promise<unknown>): Promise<Reason> {
  const error: unknown = await promise.then(
    () => new Error("it succeeded"),
    (reason: unknown) => reason,
  );
  return error as Reason;
}
