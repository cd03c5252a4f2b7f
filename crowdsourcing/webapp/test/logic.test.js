import assert from "node:assert/strict";
import { test } from "node:test";
import * as logic from "../src/logic.js";
import { answers, item, question, survey } from "../support/helpers.js";

const BOTH = ["entity:0", "entity:1"];
const keys = (pairs) => pairs.map((pair) => logic.keyOf(pair.question.name, pair.target));

const twoSteps = survey(
  question("nature", "choice", BOTH),
  question("fluency", "choice", ["pair"], { after: ["nature"] }),
  question("sense", "choice", ["pair"], { after: ["nature"] }),
);
const shuffled = item(["nature", "sense", "fluency"]);

test("the second step is asked only when the first is answered for both, in the order of the item", () => {
  const first = ["nature entity:1", "nature entity:0"]; // from left to right: entity 1 stands on the left
  assert.deepEqual(keys(logic.asked(twoSteps, shuffled, {})), first);
  assert.deepEqual(keys(logic.asked(twoSteps, shuffled, answers({ "nature entity:0": "yes" }))), first);
  const both = answers({ "nature entity:0": "yes", "nature entity:1": "no" });
  assert.deepEqual(keys(logic.asked(twoSteps, shuffled, both)), [...first, "sense pair", "fluency pair"]);
});

test("steps are counted ahead, and filled when they are reached", () => {
  const steps = logic.stepsOf(twoSteps, shuffled, {});
  assert.deepEqual(steps.map((step) => keys(step.pairs)), [["nature entity:1", "nature entity:0"], []]);
});

test("an answer that is none of the options counts for nothing", () => {
  const odd = answers({ "nature entity:0": "yes", "nature entity:1": "perhaps" });
  assert.deepEqual(keys(logic.missing(logic.asked(twoSteps, shuffled, odd), odd)), ["nature entity:1"]);
});

test("a chain of questions waits for every link of it", () => {
  const chain = survey(
    question("a", "choice", ["pair"]),
    question("b", "choice", ["pair"], { after: ["a"] }),
    question("c", "choice", ["pair"], { after: ["b"] }),
  );
  assert.deepEqual(keys(logic.asked(chain, item(["a", "b", "c"]), {})), ["a pair"]);
  assert.deepEqual(keys(logic.asked(chain, item(["c"]), {})), ["c pair"], "what is not put holds nothing up");
});

const conditional = survey(
  question("nature", "choice", BOTH),
  question("why", "free_text", BOTH, { when: [{ question: "nature", values: ["no"], target: "" }] }),
  question("any", "choice", ["pair"], { when: [{ question: "nature", values: ["no"], target: "" }] }),
  question("first", "choice", ["pair"], { when: [{ question: "nature", values: ["no"], target: "entity:0" }] }),
);
const plain = item(["nature", "why", "any", "first"]);

test("conditions look at the same target, at any, or at the one named", () => {
  const given = answers({ "nature entity:0": "yes", "nature entity:1": "no" });
  const expected = ["nature entity:1", "nature entity:0", "why entity:1", "any pair"];
  assert.deepEqual(keys(logic.asked(conditional, plain, given)), expected);
});

test("an answer to a question that is no longer asked decides nothing and is not handed in", () => {
  const nested = survey(
    question("a", "choice", ["pair"]),
    question("b", "choice", ["pair"], { when: [{ question: "a", values: ["yes"], target: "" }] }),
    question("c", "choice", ["pair"], { when: [{ question: "b", values: ["yes"], target: "" }] }),
  );
  const stale = answers({ "a pair": "no", "b pair": "yes", "c pair": "yes" });
  assert.deepEqual(logic.itemAnswers(nested, item(["a", "b", "c"]), stale, 9.96, "x"), {
    item: 3,
    answers: [{ question: "a", target: "pair", answer: "no", seconds: 1.3, changes: 0 }],
    seconds: 10,
    comment: "x",
  });
});

test("turn by turn, every turn is a step, and what comes after all of them is another", () => {
  const turns = survey(
    question("odd", "choice", ["turn"]),
    question("how", "checkboxes", ["turn"], { when: [{ question: "odd", values: ["yes"], target: "" }] }),
    question("overall", "scale", ["pair"], { after: ["odd"] }),
  );
  const page = item(["odd", "how", "overall"], { layout: "turn_by_turn", turns: 3 });
  const given = answers({ "odd turn:0": "no", "odd turn:1": "yes" });
  const steps = logic.stepsOf(turns, page, given);
  assert.deepEqual(
    steps.map((step) => [step.turn, keys(step.pairs)]),
    [[0, ["odd turn:0"]], [1, ["odd turn:1", "how turn:1"]], [2, ["odd turn:2"]], [null, []]],
  );
});

test("optional questions hold nothing up and may be left out", () => {
  const optional = survey(
    question("remark", "free_text", ["pair"], { required: false }),
    question("next", "choice", ["pair"], { after: ["remark"] }),
  );
  const page = item(["remark", "next"]);
  assert.ok(logic.complete(optional, page, answers({ "next pair": "no" })));
  assert.deepEqual(logic.itemAnswers(optional, page, answers({ "next pair": "no", "remark pair": "  " }), 1, "").answers.length, 1);
});

test("what an answer of each kind is", () => {
  const given = (kind, answer) => logic.given(question("q", kind, ["pair"]), answer);
  assert.ok(given("checkboxes", ["a"]) && !given("checkboxes", []));
  assert.ok(given("ranking", ["b", "a"]) && !given("ranking", ["b"]));
  assert.ok(given("free_text", " x ") && !given("free_text", "\n"));
  assert.ok(given("scale", "3") && !given("scale", "4"));
});

test("a decision is what the server says it is", () => {
  const game = survey(question("nature", "choice", BOTH));
  const page = item(["nature"], { more: { opening: { opened: 2, more: true, decided: { "entity:0": "no" } } } });
  const mine = logic.withDecisions(game, page, answers({ "nature entity:0": "yes", "nature entity:1": "no" }));
  assert.deepEqual(mine, { "nature entity:0": { answer: "no", seconds: 1.26, changes: 0 } });
});

test("names stand in place of targets, in wordings and options, from left to right", () => {
  const who = question("who", "choice", ["pair"], {
    options: ["entity:0", "entity:1", "none"].map((value) => ({ value, label: value, definition: "" })),
  });
  const page = item(["who"]);
  const shown = logic.optionsOf(who, page).map((option) => logic.labelOf(option, page));
  assert.deepEqual(shown, ["Entity A", "Entity B", "none"]);
  assert.equal(logic.wordingOf(question("odd", "choice", ["turn"]), "turn:1", page), "odd of Entity A?");
  assert.equal(logic.wordingOf(question("odd", "choice", BOTH), "entity:0", page), "odd of Entity B?");
  assert.equal(logic.spoken(who, "entity:0", page), "Entity B");
});

test("what the same answers mean is said once on a screen, and again where they mean something else", () => {
  const options = (definition) => [{ value: "yes", label: "Yes" }, { value: "neither", label: "Neither", definition }];
  const pairs = [
    { question: question("relevance", "choice", ["pair"], { options: options("No difference.") }), target: "pair" },
    { question: question("quality", "choice", ["pair"], { options: options("No difference.") }), target: "pair" },
    { question: question("length", "choice", ["pair"], { options: options("As long.") }), target: "pair" },
  ];
  assert.deepEqual(pairs.map((pair) => logic.explains(pair, pairs)), [true, false, true]);
});

test("a text is filled with values, and with the noun for one or for several", () => {
  const text = "{n|minute|minutes} of {total|minute|minutes}, {n}, {other}, {other|one|two}";
  assert.equal(logic.fill(text, { n: 1, total: "30" }), "1 minute of 30 minutes, 1, {other}, {other|one|two}");
  assert.equal(logic.fill("{a}", { a: "{b}", b: 1 }), "{b}");
});
