import type { Config, Response, Send } from "./axios-instance.js";

/**
 * Sends the config with some of it changed. What comes back holds the config itself: callers compare
 * it, and send it again.
 */
export function sendCopy(send: Send, config: Config, changes: Partial<Config>): Promise<Response> {
  return send({ ...config, ...changes }).then(
    (response) => giveBack(response, config),
    (error: unknown) => Promise.reject(giveBackAll(error, config)),
  );
}

function giveBackAll(error: unknown, config: Config): unknown {
  if (typeof error !== "object" || error === null) return error;
  giveBack(error as { config?: Config }, config);
  const { response } = error as { response?: Response | null };
  if (response) giveBack(response, config);
  return error;
}

/** Others' configs are left alone. */
function giveBack<Holder extends { config?: Config }>(holder: Holder, config: Config): Holder {
  // Copies share the headers; what cannot be written to is somebody's frozen own.
  if (holder.config?.headers === config.headers) Reflect.set(holder, "config", config);
  return holder;
}
