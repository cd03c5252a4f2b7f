// The talk with the server during a chat: a message is kept in the browser until the server has it and sent again until
// then, the same one, so that it is sent once; while the partner's answer is due, the page asks for it.

import { useEffect, useRef, useState } from "react";
import { askAfter, broughtBack, fate, heard, turnsOf } from "./logic.js";

// After a refusal the page asks again more slowly.
const REFUSED = 5;

// `kept`: {draft, pending} of this chat as the browser has them; `keep(change)` changes them; `update(change)` the item.
export function useChat({ item, handle, talk, kept, keep, update }) {
  const sending = useRef(false);
  const { pending } = kept;

  const deliver = async (message) => {
    if (sending.current) return;
    sending.current = true;
    const answer = await talk("say", { unit: handle, item: item.item, ...message });
    sending.current = false;
    if (answer) {
      update((now) => heard(now, answer, message.number));
      keep(() => ({ pending: null }));
    } else keep((now) => ({ pending: null, draft: broughtBack(message.text, now.draft) }));
  };
  const say = (text) => {
    const message = { number: item.chat.next, text };
    keep(() => ({ pending: message, draft: "" }));
    deliver(message);
  };
  // A message that was on its way when the page was closed.
  useEffect(() => {
    if (!pending) return;
    const what = fate(pending, item);
    if (what === "open") deliver(pending);
    else keep((now) => ({ pending: null, ...(what === "other" && { draft: broughtBack(pending.text, now.draft) }) }));
  }, []);
  usePoll({ item, handle, talk, update, still: Boolean(pending) });
  const shown = pending && pending.number === turnsOf(item).length ? pending : null;
  return { say, pending: shown };
}

function usePoll({ item, handle, talk, update, still }) {
  const [asked, setAsked] = useState({ times: 0, pause: 1 });
  const seconds = still ? null : askAfter(item);
  const have = turnsOf(item).length;
  useEffect(() => {
    if (!seconds) return undefined;
    let alive = true;
    const timer = setTimeout(async () => {
      const answer = await talk("chat", { unit: handle, item: item.item, have });
      if (!alive) return;
      if (answer) update((now) => heard(now, answer, have));
      setAsked(({ times }) => ({ times: times + 1, pause: answer ? 1 : REFUSED }));
    }, seconds * asked.pause * 1000);
    return () => {
      alive = false;
      clearTimeout(timer);
    };
  }, [asked, seconds, have, handle, item.item]);
}
