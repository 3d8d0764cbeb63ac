/** For a body that was made for a retry, and which nobody else would close. */
export function destroyBody(body: unknown): void {
  const { destroy, on } = Object(body) as { destroy?: unknown; on?: unknown };
  if (typeof destroy !== "function") return;
  // A file that cannot be opened says so also after it was destroyed.
  if (typeof on === "function") on.call(body, "error", () => undefined);
  destroy.call(body);
}
