/** For a body that was made for a retry which is not sent: nobody else would close the file. */
export function destroyBody(body: unknown): void {
  const { destroy } = Object(body) as { destroy?: unknown };
  if (typeof destroy === "function") destroy.call(body);
}
