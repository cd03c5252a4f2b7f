// The answers of a unit while it is worked on: pure changes, and keeping them in the browser so that they survive a
// reload. Where the browser keeps nothing (blocked, full), the answers live in the page only and the page says so.

export const PREFIX = "spotbot:unit:";
const DAYS = 30;

export const emptyWork = () => ({ answers: {}, seconds: {}, remarks: {}, comment: "", at: { item: 0, step: 0 } });

// `goesOn`: the same edit as before (typing, ticking further boxes), which is not counted as a change of mind.
export function answered(work, item, key, answer, seconds, { goesOn = false, hadAnswer = true } = {}) {
  const before = work.answers[item]?.[key];
  const differs = before !== undefined && hadAnswer && JSON.stringify(before.answer) !== JSON.stringify(answer);
  const changes = (before?.changes ?? 0) + (differs && !goesOn ? 1 : 0);
  const answers = { ...work.answers[item], [key]: { answer, seconds, changes } };
  return { ...work, answers: { ...work.answers, [item]: answers } };
}

export const spent = (work, item, seconds) => ({ ...work, seconds: { ...work.seconds, [item]: seconds } });
export const remarked = (work, item, text) => ({ ...work, remarks: { ...work.remarks, [item]: text } });
export const commented = (work, comment) => ({ ...work, comment });
// What belongs to the unit and is no answer: `changed` gets what is kept under the name, and returns what is new in it.
export const besideOf = (work, name) => work.beside?.[name] ?? {};
export const keptBeside = (work, name, changed) => {
  const before = besideOf(work, name);
  return { ...work, beside: { ...work.beside, [name]: { ...before, ...changed(before) } } };
};
export const movedTo = (work, at) => ({ ...work, at });

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

// What was kept, or null where it isn't what this page writes.
export function parseWork(text) {
  try {
    const { work } = JSON.parse(text);
    const placed = isObject(work?.at) || ["questionnaire", "overview"].includes(work?.at);
    const whole = [work, work?.answers, work?.seconds, work?.remarks].every(isObject);
    return placed && whole && typeof work.comment === "string" ? work : null;
  } catch {
    return null;
  }
}

// `find` returns the storage (looking at window.localStorage may throw).
export class Store {
  constructor(find, now = Date.now) {
    this.find = find;
    this.now = now;
    this.failed = false;
  }

  load(handle) {
    try {
      return parseWork(this.find().getItem(PREFIX + handle));
    } catch {
      this.failed = true;
      return null;
    }
  }

  // Returns whether the browser keeps it.
  save(handle, work) {
    try {
      this.find().setItem(PREFIX + handle, JSON.stringify({ saved: this.now(), work }));
      this.failed = false;
    } catch {
      this.failed = true;
    }
    return !this.failed;
  }

  clear(handle) {
    try {
      this.find().removeItem(PREFIX + handle);
    } catch {
      this.failed = true;
    }
  }

  // Small things of no consequence that a reload should not ask for again.
  note(name) {
    try {
      this.find().setItem(`spotbot:noted:${name}`, "1");
    } catch {
      // It is asked for again.
    }
  }

  noted(name) {
    try {
      return this.find().getItem(`spotbot:noted:${name}`) !== null;
    } catch {
      return false;
    }
  }

  // Forgets units that nobody has touched for a month.
  prune() {
    try {
      const storage = this.find();
      const names = Array.from({ length: storage.length }, (_, place) => storage.key(place));
      for (const name of names.filter((one) => one?.startsWith(PREFIX))) {
        if (!(savedAt(storage.getItem(name)) > this.now() - DAYS * 86_400_000)) storage.removeItem(name);
      }
    } catch {
      this.failed = true;
    }
  }
}

function savedAt(text) {
  try {
    return JSON.parse(text).saved;
  } catch {
    return undefined;
  }
}
