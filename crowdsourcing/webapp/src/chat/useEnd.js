// Keeps the end of a chat in view: after a message of one's own always, after the partner's where the end was in view.
// Else it says that there is something below.

import { useEffect, useRef, useState } from "react";

const NEAR = 120;

export function useEnd(ref, count, own) {
  const atEnd = useRef(true);
  const [below, setBelow] = useState(false);
  const before = useRef(count);
  const toEnd = () => ref.current?.scrollIntoView({ block: "end" });
  useEffect(() => {
    const look = () => {
      atEnd.current = ref.current.getBoundingClientRect().bottom - window.innerHeight < NEAR;
      if (atEnd.current) setBelow(false);
    };
    window.addEventListener("scroll", look, { passive: true });
    const frame = requestAnimationFrame(() => count > 0 && toEnd()); // after a new screen has been scrolled to its top
    return () => {
      window.removeEventListener("scroll", look);
      cancelAnimationFrame(frame);
    };
  }, []);
  useEffect(() => {
    const more = count > before.current;
    before.current = count;
    if (count > 0 && (atEnd.current || (more && own))) toEnd();
    else if (more) setBelow(true);
  });
  return { below, toEnd };
}

// On a phone the keyboard may lie over the page: the style sheet gets its height, so that the box stands above it.
export function useKeyboardInset() {
  useEffect(() => {
    const view = window.visualViewport;
    if (!view) return undefined;
    const { style } = document.documentElement;
    const fit = () => {
      const hidden = view.scale > 1.01 ? 0 : window.innerHeight - view.height - view.offsetTop;
      style.setProperty("--keyboard", `${Math.max(0, Math.round(hidden))}px`);
    };
    fit();
    view.addEventListener("resize", fit);
    view.addEventListener("scroll", fit);
    return () => {
      view.removeEventListener("resize", fit);
      view.removeEventListener("scroll", fit);
      style.removeProperty("--keyboard");
    };
  }, []);
}
