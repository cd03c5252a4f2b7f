import assert from "node:assert/strict";
import { test } from "node:test";
import { ActiveClock } from "../src/clock.js";
import { answered, emptyWork, movedTo, PREFIX, Store } from "../src/store.js";

class Memory {
  constructor(room = Infinity) {
    this.room = room;
    this.map = new Map();
  }
  get length() {
    return this.map.size;
  }
  key(place) {
    return [...this.map.keys()][place] ?? null;
  }
  getItem(name) {
    return this.map.get(name) ?? null;
  }
  setItem(name, value) {
    if (value.length > this.room) throw new Error("QuotaExceededError");
    this.map.set(name, value);
  }
  removeItem(name) {
    this.map.delete(name);
  }
}

test("answers survive, per unit, until they are cleared", () => {
  const memory = new Memory();
  const work = movedTo(answered(emptyWork(), 0, "nature entity:0", "bot", 2.5), { item: 1, step: 0 });
  assert.ok(new Store(() => memory).save("one", work));
  assert.deepEqual(new Store(() => memory).load("one"), work);
  assert.equal(new Store(() => memory).load("other"), null);
  new Store(() => memory).save("two", movedTo(work, "overview"));
  assert.equal(new Store(() => memory).load("two").at, "overview");
  new Store(() => memory).clear("two");
  new Store(() => memory).clear("one");
  assert.equal(memory.length, 0);
});

test("a full or forbidden storage is noticed and does no harm", () => {
  const full = new Store(() => new Memory(10));
  assert.equal(full.save("one", emptyWork()), false);
  assert.ok(full.failed);
  const forbidden = new Store(() => {
    throw new Error("SecurityError");
  });
  assert.equal(forbidden.load("one"), null);
  assert.equal(forbidden.save("one", emptyWork()), false);
  forbidden.clear("one");
  forbidden.prune();
});

test("what somebody else wrote there is not taken for answers", () => {
  const memory = new Memory();
  for (const text of ["", "null", "[]", "{}", '{"work": {"answers": 3}}', '{"work": null}', "<b>"]) {
    memory.setItem(`${PREFIX}one`, text);
    assert.equal(new Store(() => memory).load("one"), null, text);
  }
});

test("only what is older than a month is pruned, and nothing of others", () => {
  const memory = new Memory();
  const day = 86_400_000;
  new Store(() => memory, () => 0).save("old", emptyWork());
  new Store(() => memory, () => 20 * day).save("new", emptyWork());
  memory.setItem("elsewhere", "1");
  memory.setItem(`${PREFIX}broken`, "{");
  new Store(() => memory, () => 31 * day).prune();
  assert.deepEqual([...memory.map.keys()], [`${PREFIX}new`, "elsewhere"]);
});

test("changes of mind are counted, further strokes of one edit are not", () => {
  let work = answered(emptyWork(), 0, "q pair", "yes", 1);
  work = answered(work, 0, "q pair", "yes", 2);
  assert.equal(work.answers[0]["q pair"].changes, 0);
  work = answered(work, 0, "q pair", "no", 3);
  work = answered(work, 0, "q pair", "nope", 4, { goesOn: true });
  assert.deepEqual(work.answers[0]["q pair"], { answer: "nope", seconds: 4, changes: 1 });
});

test("the clock stands still while the page is hidden", () => {
  let now = 0;
  const clock = new ActiveClock(5, true, () => now);
  now = 2000;
  clock.show(false);
  now = 60_000;
  assert.equal(clock.read(), 7);
  clock.show(true);
  now = 61_500;
  assert.equal(clock.read(), 8.5);
});
