// Which questions of an item are to be answered now, in which steps they are put, and what is handed in.
// Pure functions on the survey as the server sends it, an item, and the answers given so far:
// answers = {"QUESTION TARGET": {answer, seconds, changes}}.

export const keyOf = (question, target) => `${question} ${target}`;

export const turnsOf = (item) => item.transcripts[0]?.turns.length ?? 0;

const TURN = /^turn:(\d+)$/;

export function turnOf(target) {
  const match = TURN.exec(target);
  return match ? Number(match[1]) : null;
}

// The speaker of a single conversation who is meant; undefined for all else.
export function speakerOf(target, item) {
  if (item.transcripts.length > 1) return undefined;
  return item.transcripts[0]?.entities.find((one) => one.key === target);
}

// Position of a target on the page, from left to right; what stands nowhere comes last and stays in its order.
function placeOf(target, item) {
  const place = item.transcripts.findIndex((transcript) => transcript.key === target);
  if (place >= 0) return place;
  const entity = item.transcripts[0]?.entities.find((one) => one.key === target);
  if (entity) return entity.side === "right" ? 1 : 0;
  return Infinity;
}

function fromLeft(list, target, item) {
  return [...list].sort((a, b) => compare(placeOf(target(a), item), placeOf(target(b), item)));
}

const compare = (a, b) => (a === b ? 0 : a < b ? -1 : 1);

// The only entity of a single conversation that is judged, where there is one.
function judgedOf(item) {
  if (item.transcripts.length > 1) return undefined;
  return item.transcripts[0]?.entities.find((one) => one.judged)?.key;
}

// The targets of a question in this item, from left to right; "turn" becomes turn:0, turn:1, … Where one entity is
// judged, it and its turns only.
export function targetsOf(question, item) {
  const judged = judgedOf(item);
  const turns = item.transcripts[0]?.turns ?? [];
  const isJudged = (entity) => judged === undefined || judged === entity;
  const targets = question.targets.flatMap((target) => {
    if (target !== "turn") return !target.startsWith("entity:") || isJudged(target) ? [target] : [];
    return turns.flatMap((turn, number) => (isJudged(`entity:${turn.entity}`) ? [`turn:${number}`] : []));
  });
  return fromLeft(targets, (target) => target, item);
}

// Which of the turns that are asked about this one is, from 1, and how many there are: those of the entity that is
// judged, or all.
export function placeOfTurn(item, turn) {
  const judged = judgedOf(item);
  const numbers = (item.transcripts[0]?.turns ?? []).flatMap((one, number) =>
    judged === undefined || judged === `entity:${one.entity}` ? [number] : [],
  );
  return { number: numbers.indexOf(turn) + 1, total: numbers.length };
}

// Are the item's candidates what one chooses from?
export const ofCandidates = (question) =>
  question.options.length > 0 && question.options.every((option) => /^candidate:\d+$/.test(option.value));

// The options as shown: entities and conversations stand from left to right, candidates as the server drew their order,
// `exact` as they were said.
export function optionsOf(question, item) {
  if (item.candidates && ofCandidates(question)) {
    return item.candidates.map(({ value, text }) => ({ value, label: text, definition: "", exact: true }));
  }
  return fromLeft(question.options, (option) => option.value, item);
}

// Is this the first of the pairs on the screen with these options? Their meaning is shown there only.
export function explains(pair, pairs) {
  const meaning = ({ options }) => JSON.stringify(options.map(({ value, label, definition }) => [value, label, definition]));
  return pairs.find((one) => meaning(one.question) === meaning(pair.question)) === pair;
}

// What can't be chosen: the answer to the question that this one has to differ from.
export function barredOf(question, target, answers) {
  const other = question.other_than && answers[keyOf(question.other_than, target)]?.answer;
  return other ? [other] : [];
}

// The questions that lose their answer when this one gets `answer`, for they have to differ from it.
export function clashing(survey, question, target, answer, answers) {
  return survey.questions.filter(
    (one) => one.other_than === question.name && answers[keyOf(one.name, target)]?.answer === answer,
  );
}

export function given(question, answer) {
  if (answer === undefined || answer === null) return false;
  if (question.kind === "free_text") return answer.trim() !== "";
  if (question.kind === "checkboxes") return answer.length > 0;
  if (question.kind === "ranking") return answer.length === question.options.length;
  return question.options.some((option) => option.value === answer);
}

const questionsOf = (survey, item) => survey.questions.filter((question) => item.questions.includes(question.name));

// Decisions of the opening layout are the server's; they replace what the page remembers.
export function withDecisions(survey, item, answers) {
  const question = decisionOf(survey, item);
  if (!question) return answers;
  const merged = { ...answers };
  for (const target of question.targets) {
    const key = keyOf(question.name, target);
    const answer = item.opening.decided?.[target];
    if (answer === undefined) delete merged[key];
    else merged[key] = { seconds: 0, changes: 0, ...answers[key], answer };
  }
  return merged;
}

// The question that is decided once and for all while the dialogue opens: the first that is put of entities.
export function decisionOf(survey, item) {
  if (!item.opening) return undefined;
  return questionsOf(survey, item).find((question) => question.targets.every((target) => target.startsWith("entity:")));
}

// Does the condition hold for the target? null: its question is not answered yet. What isn't put holds nothing up.
function holds(condition, target, survey, item, answers, put) {
  const question = questionsOf(survey, item).find((one) => one.name === condition.question);
  if (!question) return true;
  const all = targetsOf(question, item);
  const same = all.includes(target) ? [target] : all;
  const keys = (condition.target ? [condition.target] : same).map((one) => keyOf(question.name, one));
  let open = false;
  for (const key of keys.filter((one) => put.has(one))) {
    const answer = answers[key]?.answer;
    if (!given(question, answer)) open = true;
    else if ([answer].flat().some((value) => condition.values.includes(value))) return true;
  }
  return open ? null : false;
}

// Goes through the questions in order. `ahead`: also those that may still come, as if all before were answered.
function walk(survey, item, answers, ahead) {
  const put = new Set();
  const settled = {};
  const found = [];
  for (const question of questionsOf(survey, item)) {
    const ready = ahead || question.after.every((name) => settled[name] ?? true);
    const mine = targetsOf(question, item).filter((target) => {
      const states = question.when.map((condition) => holds(condition, target, survey, item, answers, put));
      return ready && states.every((state) => state === true || (state === null && ahead));
    });
    const keys = mine.map((target) => keyOf(question.name, target));
    keys.forEach((key) => put.add(key));
    found.push(...mine.map((target) => ({ question, target })));
    settled[question.name] =
      ready && (!question.required || keys.every((key) => given(question, answers[key]?.answer)));
  }
  return found;
}

// All (question, target) that are to be answered now, in the order in which this item shows them.
export function asked(survey, item, answers) {
  return inOrder(item, walk(survey, item, answers, false));
}

function inOrder(item, pairs) {
  const place = (pair) => item.questions.indexOf(pair.question.name);
  return [...pairs].sort((a, b) => place(a) - place(b));
}

function levelsOf(survey) {
  const levels = {};
  for (const question of survey.questions) {
    const after = question.after.map((name) => levels[name] + 1);
    const same = question.when.map((condition) => levels[condition.question]);
    levels[question.name] = Math.max(0, ...after, ...same);
  }
  return levels;
}

// The steps of an item: what comes after other questions is a later step; turn by turn, each turn is one of its own.
// A step is {turn, pairs}: turn is a number or null, pairs are those asked now (none while earlier steps are open).
export function stepsOf(survey, item, answers) {
  const levels = levelsOf(survey);
  const now = new Set(asked(survey, item, answers).map(({ question, target }) => keyOf(question.name, target)));
  const steps = new Map();
  for (const pair of inOrder(item, walk(survey, item, answers, true))) {
    const turn = item.layout === "turn_by_turn" ? turnOf(pair.target) : null;
    const place = [levels[pair.question.name], turn ?? Infinity];
    const name = place.join(" ");
    if (!steps.has(name)) steps.set(name, { place, turn, pairs: [] });
    if (now.has(keyOf(pair.question.name, pair.target))) steps.get(name).pairs.push(pair);
  }
  return [...steps.values()]
    .sort((a, b) => a.place[0] - b.place[0] || compare(a.place[1], b.place[1]))
    .map(({ turn, pairs }) => ({ turn, pairs }));
}

// What still has to be answered among the pairs.
export function missing(pairs, answers) {
  return pairs.filter(
    ({ question, target }) => question.required && !given(question, answers[keyOf(question.name, target)]?.answer),
  );
}

export function complete(survey, item, answers) {
  return missing(asked(survey, item, answers), answers).length === 0;
}

// Reasons, questions of the name "reason", that are asked for without being demanded, and that are not given.
export function unwritten(survey, item, answers) {
  return asked(survey, item, answers).filter(
    ({ question, target }) =>
      question.name === "reason" && !question.required && !given(question, answers[keyOf(question.name, target)]?.answer),
  );
}

// What the server gets for an item: answers to questions that are asked, nothing left over from changed ones.
export function itemAnswers(survey, item, answers, seconds, comment) {
  const rounded = (number) => Math.round(number * 10) / 10;
  const list = asked(survey, item, answers)
    .filter(({ question, target }) => given(question, answers[keyOf(question.name, target)]?.answer))
    .map(({ question, target }) => {
      const { answer, seconds: at, changes } = answers[keyOf(question.name, target)];
      return { question: question.name, target, answer, seconds: rounded(at), changes };
    });
  return { item: item.item, answers: list, seconds: rounded(seconds), comment };
}

// The name under which this item shows a target: an entity's, a conversation's (its judged speaker's, where one is
// judged); "" for the pair; null for a turn.
export function nameOf(target, item) {
  if (turnOf(target) !== null) return null;
  for (const transcript of item.transcripts) {
    if (transcript.key === target) return transcript.speaker || transcript.name;
    const entity = transcript.entities.find((one) => one.key === target);
    if (entity) return entity.name;
  }
  return "";
}

// An option that stands for a target bears its name, or has it in place of {name}.
export function labelOf(option, item) {
  if (option.exact) return option.label;
  const name = nameOf(option.value, item);
  return option.label.includes("{name}") ? option.label.replaceAll("{name}", name) : name || option.label;
}

// A text of the survey with the names that entities, conversations and their judged speakers bear here, in place of
// {entity:0}, {conversation:0}, {speaker:0}, …
export function named(text, item, values = {}) {
  const names = {};
  for (const entity of item.transcripts[0]?.entities ?? []) names[entity.key] = entity.name;
  for (const transcript of item.transcripts) {
    names[transcript.key] = transcript.name;
    names[transcript.key.replace("conversation", "speaker")] = transcript.speaker;
  }
  const all = { ...names, ...values };
  return text.replace(/\{(entity|(?:entity|conversation|speaker):[01])\}/g, (whole, name) => all[name] ?? whole);
}

// Who the wording is about: the target's name in place of {entity}; for a turn, the one who speaks.
export function wordingOf(question, target, item) {
  const turn = turnOf(target);
  const [first] = item.transcripts;
  const speaker = () => `entity:${first.turns[turn].entity}`;
  return named(question.wording, item, { entity: nameOf(turn === null ? target : speaker(), item) });
}

// An answer in words, for overviews.
export function spoken(question, answer, item) {
  if (!given(question, answer)) return null;
  if (question.kind === "free_text") return answer;
  const label = (value) => labelOf(optionsOf(question, item).find((option) => option.value === value), item);
  return [answer].flat().map(label).join(", ");
}

// The example of the instructions as an item and its answers.
export function exampleItem(survey) {
  const { turns, second, judged, key, candidates } = survey.example;
  const shown = second?.length ? [turns, second] : [turns];
  const item = {
    item: 0,
    layout: candidates ? "candidates" : shown.length > 1 ? "side_by_side" : "dialogue",
    ...(candidates ? { candidates: candidates.map((text, place) => ({ value: `candidate:${place}`, text })) } : {}),
    questions: survey.questions.map((question) => question.name),
    transcripts: shown.map((list, number) => exampleTranscript(survey, list, judged?.[number], number, shown.length)),
  };
  const answers = key.map(([name, target, accepted]) => {
    const question = survey.questions.find((one) => one.name === name);
    return { question, target, accepted };
  });
  return { item, answers };
}

function exampleTranscript(survey, turns, judged, number, total) {
  const known = judged !== undefined;
  const speaker = total > 1 && survey.speakers?.length ? survey.speakers[number] : survey.entities[judged ?? 0];
  const entities = [0, 1].map((entity) => ({
    key: `entity:${entity}`,
    name: !known ? survey.entities[entity] : entity === judged ? speaker : survey.other || survey.entities[entity],
    side: known ? (entity === judged ? "right" : "left") : entity === 0 ? "left" : "right",
    ...(known ? { judged: entity === judged } : {}),
  }));
  return {
    key: `conversation:${number}`,
    name: total > 1 ? survey.conversations[number] : "",
    entities,
    turns: turns.map(([entity, text]) => ({ entity, text })),
    ...(known && total > 1 ? { speaker } : {}),
  };
}

// Replaces {name}, and {name|minute|minutes} by the value with the noun for one or for several; a value is never looked
// at for further names.
export function fill(text, values) {
  return text.replace(/\{(\w+)(?:\|([^{}|]*)\|([^{}|]*))?\}/g, (whole, name, one, many) =>
    name in values ? String(values[name]) + (many === undefined ? "" : ` ${String(values[name]) === "1" ? one : many}`) : whole,
  );
}
