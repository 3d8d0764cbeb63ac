import type { Config, Response, Send } from "./axios-instance.js";

/**
 * Sends the config with some of it changed. What comes back holds the config itself: callers compare
 * it, and send it again.
 */
export function sendCopy(send: Send, config: Config, changes: Partial<Config>): Promise<Response> {
  return send({ ...config, ...changes }).then(
    (response) => giveBack(response, config),
    (error: unknown) => {
      try {
        giveBackAll(error, config);
      } catch {
        // A getter of somebody's error threw: it is the caller's as it is.
      }
      return Promise.reject(error);
    },
  );
}

function giveBackAll(error: unknown, config: Config): void {
  if (typeof error !== "object" || error === null) return;
  giveBack(error as { config?: Config }, config);
  const { response } = error as { response?: Response | null };
  if (response) giveBack(response, config);
}

/** Others' configs are left alone. */
function giveBack<Holder extends { config?: Config }>(holder: Holder, config: Config): Holder {
  // Copies share the headers; what cannot be written to is somebody's frozen own.
  if (holder.config?.headers === config.headers) Reflect.set(holder, "config", config);
  return holder;
}
