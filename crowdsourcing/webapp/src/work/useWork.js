// The answers of a unit as state: every change is kept in the browser at once, another tab's changes are taken over, and
// the time is counted only while the page is visible.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { ActiveClock } from "../clock.js";
import * as change from "../store.js";

const KEEP_TIME_EVERY = 5000;

export function useWork(store, handle, survey) {
  const [work, setWork] = useState(() => store.load(handle) ?? change.emptyWork());
  const [kept, setKept] = useState(true);
  const latest = useRef(work);
  const update = useCallback(
    (next) => {
      latest.current = next(latest.current);
      setWork(latest.current);
      setKept(store.save(handle, latest.current));
    },
    [store, handle],
  );
  useEffect(() => {
    const elsewhere = (event) => {
      if (event.key !== change.PREFIX + handle || event.newValue === null) return;
      const theirs = change.parseWork(event.newValue);
      if (!theirs) return;
      latest.current = { ...theirs, at: latest.current.at };
      setWork(latest.current);
    };
    window.addEventListener("storage", elsewhere);
    return () => window.removeEventListener("storage", elsewhere);
  }, [handle]);
  const item = typeof work.at === "object" ? work.at.item : null;
  const clock = useItemClock(item, latest, update);
  const actions = useMemo(
    () => ({
      answer(number, question, key, answer, hints) {
        update((now) => change.answered(now, number, key, answer, clock.current?.read() ?? 0, hints));
      },
      remark: (number, text) => update((now) => change.remarked(now, number, text)),
      comment: (text) => update((now) => change.commented(now, text)),
      beside: (name, changed) => update((now) => change.keptBeside(now, name, changed)),
      go: (at) => update((now) => change.movedTo(withTime(now, clock.current, item), at)),
      keepTime: () => update((now) => withTime(now, clock.current, item)),
      latest: () => withTime(latest.current, clock.current, item),
      clear: () => store.clear(handle),
    }),
    [update, clock, item, store, handle],
  );
  return { work, kept, actions, survey };
}

const withTime = (work, clock, item) => (clock && item !== null ? change.spent(work, item, clock.read()) : work);

// The clock of the item in hand; it goes on from the seconds that are kept.
function useItemClock(item, latest, update) {
  const clock = useRef(null);
  if (clock.current?.item !== item) {
    const seconds = item === null ? 0 : (latest.current.seconds[item] ?? 0);
    clock.current = item === null ? null : new ActiveClock(seconds, document.visibilityState === "visible");
    if (clock.current) clock.current.item = item;
  }
  useEffect(() => {
    if (item === null) return undefined;
    const keep = () => update((now) => withTime(now, clock.current, item));
    const seen = () => {
      clock.current?.show(document.visibilityState === "visible");
      keep();
    };
    const timer = setInterval(() => document.visibilityState === "visible" && keep(), KEEP_TIME_EVERY);
    document.addEventListener("visibilitychange", seen);
    window.addEventListener("pagehide", keep);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", seen);
      window.removeEventListener("pagehide", keep);
    };
  }, [item, update]);
  return clock;
}
