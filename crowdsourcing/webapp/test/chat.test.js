import assert from "node:assert/strict";
import { test } from "node:test";
import * as chat from "../src/chat/logic.js";
import { besideOf, emptyWork, keptBeside, parseWork } from "../src/store.js";

const CHAT = { messages: 0, least: 4, most: 8, next: 0, partner: "listening", may_rate: false, poll_seconds: null };
const said = (...texts) => texts.map((text, number) => ({ entity: number % 2, text }));

function talk(number, turns = [], more = {}, step = "chatting") {
  const entities = [
    { key: "entity:0", name: "You", side: "right", judged: false },
    { key: "entity:1", name: `Partner ${number + 1}`, side: "left", judged: true },
  ];
  const transcripts = [{ key: "conversation:0", name: "", entities, turns }];
  return { item: number, layout: "chat", step, transcripts, questions: [], chat: { ...CHAT, next: turns.length, ...more } };
}
const comparison = (step) => ({ item: 2, layout: "side_by_side", step, transcripts: [], questions: [] });
const unit = (...steps) => [talk(0, [], {}, steps[0]), talk(1, [], {}, steps[1]), comparison(steps[2])];

test("the first item that is not handed in is the one in hand", () => {
  assert.equal(chat.currentOf(unit("chatting", "locked", "locked")).item, 0);
  assert.equal(chat.currentOf(unit("done", "chatting", "locked")).item, 1);
  assert.equal(chat.currentOf(unit("done", "failed", "locked")).item, 1);
  assert.equal(chat.currentOf(unit("done", "done", "rating")).item, 2);
});

test("a chat stays in view until the person goes on to a rating that may be given", () => {
  const short = talk(0, said("a", "b"));
  const enough = talk(0, said("a", "b", "c", "d"), { may_rate: true });
  const there = { item: 0, step: 0 };
  const away = { item: null, step: 0 };
  assert.equal(chat.stageOf(short, there, true), "chat");
  assert.equal(chat.stageOf(enough, away, true), "chat");
  assert.equal(chat.stageOf(enough, there, true), "rating");
  assert.equal(chat.stageOf({ ...enough, step: "rating" }, away, true), "chat", "what has ended is told in the chat first");
  assert.equal(chat.stageOf({ ...enough, step: "rating" }, there, true), "rating");
  assert.equal(chat.stageOf({ ...short, step: "failed" }, there, true), "chat");
  assert.equal(chat.stageOf(talk(1, [], {}, "locked"), { item: 1 }, true), "chat");
});

test("the overview is reached with every choice made, and left when one is missing", () => {
  assert.equal(chat.stageOf(comparison("rating"), "overview", true), "review");
  assert.equal(chat.stageOf(comparison("rating"), "overview", false), "compare");
  assert.equal(chat.stageOf(comparison("rating"), { item: 2, step: 0 }, true), "compare");
});

test("no clock runs during a chat, each rating and the comparison have their own", () => {
  const at = { item: 0, step: 0 };
  assert.deepEqual(chat.placeAt("chat", talk(0), at), { item: null, step: 0 });
  assert.equal(chat.placeAt("rating", talk(0), at), at);
  assert.deepEqual(chat.placeAt("compare", comparison("rating"), "overview"), { item: 2, step: 0 });
  assert.equal(chat.placeAt("review", comparison("rating"), "overview"), "overview");
  const settled = chat.placeAt("chat", talk(1), at);
  assert.equal(chat.placeAt("chat", talk(1), settled), settled, "what is right stays the same object");
});

test("five steps: two for each chat, and the comparison", () => {
  const first = unit("chatting", "locked", "locked");
  const second = unit("done", "chatting", "locked");
  const last = unit("done", "done", "rating");
  const numbers = [[first, "chat"], [first, "rating"], [second, "chat"], [second, "rating"], [last, "compare"], [last, "review"]].map(
    ([items, stage]) => chat.progressOf(items, stage).number,
  );
  assert.deepEqual(numbers, [1, 2, 3, 4, 5, 5]);
  assert.equal(chat.progressOf(first, "chat").total, 5);
});

test("an answer is put where it belongs, and one that was overtaken takes nothing back", () => {
  const before = talk(0, said("a", "b"));
  const after = chat.heard(before, { chat: { ...CHAT, partner: "typing" }, turns: [{ entity: 0, text: "c" }] }, 2);
  assert.deepEqual(chat.turnsOf(after), said("a", "b", "c"));
  assert.equal(after.chat.partner, "typing");
  assert.equal(after.step, "chatting");
  assert.deepEqual(chat.turnsOf(before), said("a", "b"), "what was there is not changed");
  const late = { chat: CHAT, turns: [], step: "chatting" };
  assert.equal(chat.heard(after, late, 2), after, "fewer turns than are known");
  assert.equal(chat.heard(after, late, 5), after, "turns are missing in between");
  const whole = chat.heard(after, { chat: CHAT, turns: said("a", "b", "c", "d"), step: "rating" }, 0);
  assert.deepEqual(chat.turnsOf(whole), said("a", "b", "c", "d"));
  assert.equal(whole.step, "rating");
});

test("a session that was asked for before a message does not take it off the page", () => {
  const known = talk(0, said("a", "b", "c"));
  const fresh = talk(0, said("a", "b"));
  assert.equal(chat.newer(known, fresh), known);
  assert.equal(chat.newer(fresh, known), known);
  const done = talk(0, [], {}, "done");
  assert.equal(chat.newer(known, done), done, "but the server's step counts");
  assert.equal(chat.newer(undefined, fresh), fresh);
});

test("the server is asked while an answer is due, and once more where the chat has ended meanwhile", () => {
  assert.equal(chat.askAfter(talk(0)), null);
  assert.equal(chat.askAfter(talk(0, said("a"), { partner: "typing", next: null, poll_seconds: 3 })), 3);
  assert.ok(chat.askAfter(talk(0, said("a"), { partner: "gone", next: null })) > 0);
  assert.equal(chat.askAfter(talk(0, said("a"), { partner: "gone", next: null }, "failed")), null);
  assert.equal(chat.askAfter(talk(0, said("a", "b"), { next: null }, "rating")), null);
});

test("a message is compared and counted as the server keeps it", () => {
  assert.equal(chat.plain("  hello \n\n\tworld\u00a0! "), "hello world !");
  assert.equal(chat.plain("a\u0000b\u0085c"), "a b c");
  assert.equal(chat.plain("\ud83d"), "\ufffd");
  assert.equal(chat.plain(" \n "), "");
  assert.equal(chat.plain("\u202eabc"), "\u202eabc");
  assert.equal(chat.lengthOf(" 👍👍  ok "), 5);
});

test("what hinders a message", () => {
  const mine = talk(0);
  const theirs = talk(0, said("a"), { next: null, partner: "typing" });
  assert.equal(chat.hindrance("hi", mine, null, 5), null);
  assert.equal(chat.hindrance(" \n", mine, null, 5), "empty");
  assert.equal(chat.hindrance("👍👍👍👍👍👍", mine, null, 5), "too_long");
  assert.equal(chat.hindrance("  hello  ", mine, null, 5), null);
  assert.equal(chat.hindrance("hi", theirs, null, 5), "wait");
  assert.equal(chat.hindrance("hi", mine, { number: 0, text: "x" }, 5), "wait");
});

test("a message that was on its way is taken up after a reload, once", () => {
  const pending = { number: 2, text: "how  are\nyou?" };
  assert.equal(chat.fate(pending, talk(0, said("a", "b"))), "open");
  assert.equal(chat.fate(pending, talk(0, said("a", "b", "how are you?"))), "said");
  assert.equal(chat.fate(pending, talk(0, said("a", "b", "how are you?", "fine"))), "said");
  assert.equal(chat.fate(pending, talk(0, said("a", "b", "from another tab"))), "other");
  assert.equal(chat.fate(pending, talk(0, said("a", "b"), { next: null, partner: "gone" })), "other");
  assert.equal(chat.fate(pending, talk(0, said("a"), { next: null, partner: "typing" })), "other");
});

test("text that comes back loses nothing that was written since", () => {
  assert.equal(chat.broughtBack("sent", ""), "sent");
  assert.equal(chat.broughtBack("sent", " "), "sent");
  assert.equal(chat.broughtBack("sent", "new"), "sent\nnew");
});

test("what is told of the partner: why nothing more comes goes before that it takes time", () => {
  assert.equal(chat.noticeOf(talk(0)), null);
  const typing = { partner: "typing", next: null };
  assert.equal(chat.noticeOf(talk(0, [], typing)), null);
  assert.equal(chat.noticeOf(talk(0, [], { partner: "gone", next: null }, "failed")), "failed");
  assert.equal(chat.noticeOf(talk(0, [], { partner: "gone", next: null, may_rate: true }, "rating")), "gone");
  assert.equal(chat.noticeOf(talk(0, [], { partner: "gone", next: null })), null, "not before it is known what follows");
  assert.equal(chat.noticeOf(talk(0, [], { next: null, may_rate: true }, "rating")), "longest");
  assert.equal(chat.noticeOf(talk(0, [], { may_rate: true })), "enough");
});

test("a draft is kept with the unit, beside what else is kept", () => {
  let work = keptBeside(emptyWork(), "chat:0", () => ({ draft: "hel" }));
  work = keptBeside(work, "chat:1", () => ({ draft: "other" }));
  work = keptBeside(work, "chat:0", (now) => ({ draft: `${now.draft}lo`, pending: null }));
  const read = parseWork(JSON.stringify({ saved: 0, work }));
  assert.deepEqual(besideOf(read, "chat:0"), { draft: "hello", pending: null });
  assert.deepEqual(besideOf(read, "chat:1"), { draft: "other" });
  assert.deepEqual(besideOf(emptyWork(), "chat:0"), {});
});
