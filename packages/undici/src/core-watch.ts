/**
 * Learns from the first attempt whether the core of undici 7 is beneath, which takes a handler that
 * speaks the legacy API alone as well, and drives that with less work. Whatever else is there may
 * speak the modern API alone.
 */
export class CoreWatch {
  #isLegacy: boolean | undefined;

  /** @param canBeLegacy whether undici 6 or 7 composes, with no interceptor beneath */
  constructor(canBeLegacy: boolean) {
    if (!canBeLegacy) this.#isLegacy = false;
  }

  get isLegacy(): boolean {
    return this.#isLegacy === true;
  }

  /** @param controller what an attempt was started with: by the legacy API, nothing */
  started(controller: object | undefined): void {
    this.#isLegacy ??= controller?.constructor?.name === "UnwrapController";
  }
}
