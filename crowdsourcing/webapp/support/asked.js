// Reads cases of (survey, item, answers) as JSON and writes what is asked and what is handed in: a test of Python holds
// it against the server's own rule.

import { readFileSync } from "node:fs";
import { asked, itemAnswers } from "../src/logic.js";

const cases = JSON.parse(readFileSync(0, "utf8"));
const found = cases.map(({ survey, item, answers }) => ({
  asked: asked(survey, item, answers).map(({ question, target }) => [question.name, target]),
  sent: itemAnswers(survey, item, answers, 1, "").answers.map((row) => [row.question, row.target, row.answer]),
}));
process.stdout.write(JSON.stringify(found));
