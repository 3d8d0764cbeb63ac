import { expectKey, originOf } from "@retry-budget/core";
import fc from "fast-check";
import { expect, test } from "vitest";

test.each([
  ["http://a", "http://a"],
  ["http://a:80/", "http://a"],
  ["HTTP://A/path?query#fragment", "http://a"],
  ["https://user:secret@a:443/x", "https://a"],
  ["http://[::1]:8080/x", "http://[::1]:8080"],
  ["http://bücher.example/", "http://xn--bcher-kva.example"],
  ["http://127.1/x", "http://127.0.0.1"],
  ["http:\\\\a\\b", "http://a"],
  ["redis://db:6379/0", "redis://db:6379"],
  ["unix://%2Frun%2Fa.sock", "unix://%2Frun%2Fa.sock"],
])("the origin of %s is %s", (url, origin) => {
  expect(originOf(url)).toBe(origin);
  expect(originOf(url)).toBe(origin);
  expect(originOf(new URL(url))).toBe(origin);
});

test("the origin is the one of the URL parser, for any URL", () => {
  const anyUrl = fc.oneof(
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc
      .tuple(fc.constantFrom("http", "HTTPS", "ws"), fc.string(), fc.string({ unit: "binary" }))
      .map(([scheme, host, rest]) => `${scheme}://${host}/${rest}`),
    fc.tuple(fc.ipV4Extended(), fc.nat(70_000)).map(([ip, port]) => `http://${ip}:${port}?x`),
    fc.string().map((text) => `http:${text}`),
  );
  fc.assert(
    fc.property(anyUrl, (url) => {
      const expected = URL.canParse(url) ? new URL(url).origin : undefined;
      if (expected === undefined) expect(() => originOf(url)).toThrow(TypeError);
      else expect(originOf(url)).toBe(expected);
    }),
    { numRuns: 5000 },
  );
});

test("a text that is no URL is an error that names it", () => {
  expect(() => originOf("nonsense")).toThrow(
    'Expected `url` to be a URL, such as https://api.example.com, got "nonsense".',
  );
});

test("a key is the origin of a URL, or a name as it is", () => {
  expect(expectKey("key", "https://a/b")).toBe("https://a");
  expect(expectKey("key", "orders database")).toBe("orders database");
});

test("more prefixes than the memo holds change no answer", () => {
  for (let port = 1; port <= 3000; port++)
    expect(originOf(`http://a:${port}/`)).toBe(new URL(`http://a:${port}`).origin);
});
