import type { AxiosRetryOptions } from "@retry-budget/axios";
import { refusalOf } from "@retry-budget/core";
import {
  errorOf,
  hang,
  type Reply,
  reset,
  serve,
  status,
  warningsDuring,
} from "@retry-budget/testkit";
import type { AxiosError } from "axios";
import {
  DEFAULT_OPTIONS,
  isIdempotentRequestError,
  isNetworkError,
  isNetworkOrIdempotentRequestError,
  isRetryableError,
  isSafeRequestError,
} from "axios-retry";
import { expect, test, vi } from "vitest";
import { describeSideBySide, hitsOf, sideBySide } from "./side-by-side.js";

const unavailable = status(503);

describeSideBySide("without a retryCondition", () => {
  test.each([[400], [404], [408], [425], [429], [500], [501], [503], [520], [599]])(
    "a GET that %d answers is sent as often as under axios-retry",
    async (code) => {
      const { theirs, ours } = await hitsOf({ retries: 1 }, [status(code)]);
      expect(ours).toBe(theirs);
    },
  );

  test.each([["get"], ["head"], ["options"], ["put"], ["delete"], ["post"], ["patch"]])(
    "a %s that 503 answers is sent as often as under axios-retry",
    async (method) => {
      const { theirs, ours } = await hitsOf({ retries: 1 }, [unavailable], (instance, url) =>
        instance.request({ url, method }),
      );
      expect(ours).toBe(theirs);
    },
  );

  test("a POST whose connection is reset is sent once, unlike under axios-retry (axios-retry #66)", async () => {
    const hits = await hitsOf({ retries: 1 }, [reset()], (instance, url) => instance.post(url));
    expect(hits).toEqual({ theirs: 2, ours: 1 });
  });

  test("a GET that times out is sent again, unlike under axios-retry (axios-retry #185)", async () => {
    const hits = await hitsOf({ retries: 1 }, [hang()], (instance, url) =>
      instance.get(url, { timeout: 100 }),
    );
    expect(hits).toEqual({ theirs: 1, ours: 2 });
  });
});

describeSideBySide("retryCondition", () => {
  const helpers = {
    isNetworkError,
    isRetryableError,
    isSafeRequestError,
    isIdempotentRequestError,
    isNetworkOrIdempotentRequestError,
    "DEFAULT_OPTIONS.retryCondition": DEFAULT_OPTIONS.retryCondition as (e: AxiosError) => boolean,
  };
  const replies: Record<string, Reply> = {
    "a 503": unavailable,
    "a 429": status(429),
    "a 404": status(404),
    "a reset": reset(),
  };
  const cases = Object.entries(helpers).flatMap(([name, retryCondition]) =>
    Object.entries(replies).map(([what, reply]) => ({ name, retryCondition, what, reply })),
  );

  test.each(cases)(
    "of $name sends GET and PUT after $what as often as axios-retry does",
    async ({ retryCondition, reply }) => {
      for (const method of ["get", "put"]) {
        const { theirs, ours } = await hitsOf(
          { retries: 1, retryCondition },
          [reply],
          (instance, url) => instance.request({ url, method }),
        );
        expect(ours, method).toBe(theirs);
      }
    },
  );

  test.each<[string, AxiosRetryOptions["retryCondition"]]>([
    ["true for a 404", ({ response }) => response?.status === 404],
    ["false", () => false],
    ["a truthy value", () => 1 as never],
    ["a falsy value", () => "" as never],
  ])("that gives %s is obeyed as by axios-retry", async (_, retryCondition) => {
    for (const reply of [status(404), unavailable]) {
      const { theirs, ours } = await hitsOf({ retries: 1, retryCondition }, [reply]);
      expect(ours).toBe(theirs);
    }
  });

  test("sees the error that the caller gets, once for each failure but the last", async () => {
    const seen: AxiosError[] = [];
    const retryCondition = (error: AxiosError): boolean => seen.push(error) > 0;
    const server = await serve(unavailable);
    const { ours } = await sideBySide({ retries: 1, retryCondition }, (instance) => {
      seen.length = 0;
      return errorOf<AxiosError>(instance.get(server.url));
    });
    expect(seen.at(-1)).toBe(ours);
    expect(seen.map(({ config }) => config?.method)).toEqual(["get", "get"]);
  });

  test("sees response.data before transformResponse, and axios-retry's after it", async () => {
    const seen: unknown[] = [];
    const retryCondition = ({ response }: AxiosError): boolean => seen.push(response?.data) < 0;
    const server = await serve(status(503, {}, '{"busy":true}'));
    await sideBySide({ retryCondition }, (instance) => errorOf(instance.get(server.url)));
    expect(seen).toEqual([{ busy: true }, '{"busy":true}']);
  });

  test("that says yes to a POST does not make it idempotent, unlike axios-retry's", async () => {
    const server = await serve(unavailable);
    const options = { retries: 1, retryCondition: () => true };
    const post = await hitsOf(options, [unavailable], (instance, url) => instance.post(url));
    expect(post).toEqual({ theirs: 2, ours: 1 });
    const { ours } = await sideBySide(options, (instance) => errorOf(instance.post(server.url)));
    expect(refusalOf(ours)).toMatchObject({ refusal: "method" });
    const opted = await hitsOf(options, [unavailable], (instance, url) =>
      instance.post(url, "", { retryBudget: { idempotent: true } }),
    );
    expect(opted).toEqual({ theirs: 2, ours: 2 });
  });

  test("beside methods that hold POST is obeyed as by axios-retry", async () => {
    const server = await serve(unavailable);
    const options = { retries: 1, retryCondition: () => true };
    await sideBySide(options, (instance) => errorOf(instance.post(server.url)), {
      methods: ["POST"],
    });
    expect(server.hits).toHaveLength(4);
  });

  test("that throws ends the call with the original error, which axios-retry replaces", async () => {
    const server = await serve(unavailable);
    const retryCondition = (): never => {
      throw new Error("mine");
    };
    const { theirs, ours } = await sideBySide({ retries: 1, retryCondition }, (instance) =>
      errorOf<AxiosError>(instance.get(server.url)),
    );
    expect(theirs.message).toBe("mine");
    expect(ours.response?.status).toBe(503);
    expect(server.hits).toHaveLength(2);
  });

  test.each([
    ["true", () => Promise.resolve(true)],
    ["a rejection", () => Promise.reject(new Error("mine"))],
  ])("that gives a promise of %s ends the call: it is too late to wait for it", async (_, give) => {
    const options = { retries: 1, retryCondition: give as never };
    const warnings = await warningsDuring(async () => {
      expect(await hitsOf(options, [unavailable])).toMatchObject({ ours: 1 });
    });
    expect(warnings).toEqual(["RETRY_BUDGET_CLASSIFY"]);
  });

  test("is not asked about a response that validateStatus accepts, as in axios-retry", async () => {
    const retryCondition = vi.fn(() => true);
    const hits = await hitsOf({ retries: 1, retryCondition }, [unavailable], (instance, url) =>
      instance.get(url, { validateStatus: null }),
    );
    expect(hits).toEqual({ theirs: 1, ours: 1 });
    expect(retryCondition).not.toHaveBeenCalled();
  });
});
