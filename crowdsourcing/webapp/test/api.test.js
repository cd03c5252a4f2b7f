import assert from "node:assert/strict";
import { test } from "node:test";
import { Api, ApiError, pause, tokenKeeper } from "../src/api.js";

// A server that gives the answers of the list one after the other; an Error stands for a lost connection.
function scripted(list) {
  const seen = [];
  const fetch = async (url, { method, headers, body }) => {
    seen.push({ path: new URL(url).pathname, method, token: headers.Authorization, body });
    const next = list.shift();
    if (next instanceof Error) throw next;
    const [status, value] = next;
    return { ok: status < 300, status, text: async () => JSON.stringify(value) };
  };
  return { fetch, seen };
}

function client(list, keep = tokenKeeper(() => new Map(), "/")) {
  const { fetch, seen } = scripted(list);
  const troubles = [];
  const sleep = async () => {};
  const onTrouble = (trouble) => troubles.push(trouble?.kind ?? null);
  const api = new Api({ fetch, base: "http://here/some/page/", query: { t: "x" }, keep, onTrouble, sleep });
  return { api, seen, troubles };
}

test("a lost connection and a busy server are tried again with the same body until there is an answer", async () => {
  const { api, seen, troubles } = client([[200, { token: "T" }], new TypeError("lost"), [503, {}], [200, { ok: 1 }]]);
  assert.deepEqual(await api.post("submit", { unit: "u" }), { ok: 1 });
  assert.deepEqual(troubles, ["network", "busy", null]);
  const sent = seen.filter((one) => one.path === "/some/page/api/submit");
  assert.equal(sent.length, 3);
  assert.equal(new Set(sent.map((one) => one.body + one.token)).size, 1);
});

test("a refusal is not tried again and comes with the server's sentence", async () => {
  const { api, seen } = client([[200, { token: "T" }], [410, { error: { code: "late", text: "Too late." } }]]);
  await assert.rejects(api.post("submit", {}), (error) => error instanceof ApiError && error.status === 410 && error.text === "Too late.");
  assert.equal(seen.length, 2);
});

test("a token that is no longer good is replaced once", async () => {
  const keep = { get: () => "old", set() {} };
  const { api, seen } = client([[401, {}], [200, { token: "new" }], [200, { state: "ready" }]], keep);
  assert.deepEqual(await api.get("session"), { state: "ready" });
  assert.deepEqual(seen.map((one) => one.token), ["Bearer old", undefined, "Bearer new"]);
});

test("pauses grow and stay below a minute", () => {
  const pauses = [0, 1, 2, 3, 50].map((attempt) => pause(attempt, () => 0.5));
  assert.deepEqual(pauses, [1, 2, 4, 8, 30]);
});

test("a token is kept for the URL it belongs to, and without storage for as long as the page lives", () => {
  const map = new Map();
  const storage = { getItem: (name) => map.get(name) ?? null, setItem: (name, value) => map.set(name, value) };
  tokenKeeper(() => storage, "/?t=1").set("A");
  assert.equal(tokenKeeper(() => storage, "/?t=1").get(), "A");
  assert.equal(tokenKeeper(() => storage, "/?t=2").get(), null);
  const none = tokenKeeper(() => {
    throw new Error("SecurityError");
  }, "/");
  none.set("B");
  assert.equal(none.get(), "B");
});
