// Where a unit of chats stands, what was said, and what is still on its way: pure functions on what the server sends and
// on what the browser keeps. An item of such a unit is a chat with one partner, or at last the comparison.

const SOON = 0.2;

export const isChat = (item) => item.chat !== undefined;

// The item in hand: the first that isn't handed in. The comparison is the last.
export const currentOf = (items) => items.find((item) => item.step !== "done") ?? items[items.length - 1];

export const turnsOf = (item) => item.transcripts[0].turns;
export const partnerOf = (item) => item.transcripts[0].entities.find((entity) => entity.judged).name;

export const mayRate = (item) => item.chat.may_rate && ["chatting", "rating"].includes(item.step);

// The screen that stands: "chat" | "rating" | "compare" | "review". A rating is looked at because the person went there
// (`at.item`), and as long as it may be given; so there is a way back to a chat that is still open.
export function stageOf(item, at, complete) {
  if (!isChat(item)) return at === "overview" && complete ? "review" : "compare";
  return at.item === item.item && mayRate(item) ? "rating" : "chat";
}

// What `at` has to be at this stage. An item's clock runs while it is answered, and not during the chat: how long that
// took is known to the server.
export function placeAt(stage, item, at) {
  if (stage === "review") return "overview";
  const number = stage === "chat" ? null : item.item;
  return at.item === number ? at : { item: number, step: 0 };
}

// How far the unit is: two steps for each chat, one for the comparison and what follows it.
export function progressOf(items, stage) {
  const chats = items.filter(isChat);
  const total = chats.length * 2 + 1;
  const before = chats.filter((item) => item.step === "done").length * 2;
  return { number: { chat: before + 1, rating: before + 2 }[stage] ?? total, total };
}

// The item after the server has told the turns from number `from` on. Turns only grow: an answer that was overtaken by a
// later one takes nothing back.
export function heard(item, { chat, turns, step = item.step }, from) {
  const known = turnsOf(item);
  if (from > known.length || from + turns.length < known.length) return item;
  const [transcript] = item.transcripts;
  return { ...item, chat, step, transcripts: [{ ...transcript, turns: [...known.slice(0, from), ...turns] }] };
}

// The same for an item of a whole session.
export const newer = (known, fresh) =>
  known && isChat(fresh) && known.step === fresh.step && turnsOf(fresh).length < turnsOf(known).length ? known : fresh;

// After how many seconds the server is to be asked how the chat stands: while an answer is due, and where a chat has ended
// of which the page doesn't know the step yet. null: no need to.
export function askAfter({ chat, step }) {
  if (chat.partner === "typing") return chat.poll_seconds;
  return step === "chatting" && chat.next === null ? SOON : null;
}

// A message as the server keeps it. The server decides; this is for comparing and counting.
export const plain = (text) =>
  text
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replace(/[\p{Cc}\p{Z}]+/gu, " ")
    .replace(/^ | $/g, "");

// In characters, as the server counts them.
export const lengthOf = (text) => [...plain(text)].length;

// What hinders a message from being sent: "empty", "too_long", "wait" (it isn't the person's turn) or null.
export function hindrance(text, item, pending, limit) {
  if (plain(text) === "") return "empty";
  if (lengthOf(text) > limit) return "too_long";
  return pending || item.chat.next === null ? "wait" : null;
}

// What became of a message that was on its way when the page was closed: "said", "open", or "other" where another
// message has its place or nothing can be said any more.
export function fate(pending, item) {
  const there = turnsOf(item)[pending.number];
  if (there) return there.text === plain(pending.text) ? "said" : "other";
  return item.chat.next === pending.number ? "open" : "other";
}

// A message that comes back into the box stands before what was written since.
export const broughtBack = (text, draft) => (plain(draft) === "" ? text : `${text}\n${draft}`);

// Which notice about the partner is due, or null.
export function noticeOf({ chat, step }) {
  if (step === "failed") return "failed";
  if (chat.partner === "gone") return step === "rating" ? "gone" : null;
  if (step === "rating") return "longest";
  return chat.may_rate ? "enough" : null;
}
