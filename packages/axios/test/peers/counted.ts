import { setTimeout } from "node:timers/promises";
import axios, { type AxiosInstance } from "axios";
import { attemptsText } from "./attempts-text.js";

/** The attempts of an instance, counted where they are handed to axios' own adapter. */
export class Counted {
  #count = 0;
  #secondBegins: () => void = () => undefined;
  readonly #second = new Promise<void>((resolve) => {
    this.#secondBegins = resolve;
  });

  constructor(instance: AxiosInstance) {
    const http = axios.getAdapter("http");
    instance.defaults.adapter = (config) => {
      if (++this.#count === 2) this.#secondBegins();
      return http(config);
    };
  }

  get attempts(): string {
    return attemptsText(this.#count);
  }

  /** What comes of a request, or that its second attempt is still under way after two seconds. */
  async endOf(outcome: Promise<string>): Promise<string> {
    const isStuck = async (): Promise<string> => {
      await this.#second;
      return setTimeout(2000, "the second attempt never ends", { ref: false });
    };
    return Promise.race([outcome, isStuck()]);
  }
}
