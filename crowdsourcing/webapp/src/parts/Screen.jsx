// A screen with one heading, which gets the focus when the screen comes up, so that screen readers start there.

import { useEffect, useRef } from "react";

let shownBefore = false;

export function useFocusOn(when) {
  const ref = useRef(null);
  useEffect(() => {
    if (shownBefore) {
      ref.current?.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
    shownBefore = true;
  }, [when]);
  return ref;
}

export function Screen({ title, className = "", children }) {
  const heading = useFocusOn(title);
  return (
    <div className={`screen ${className}`}>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </div>
  );
}

// Paragraphs of a text that comes as data: blank lines part them.
export function Paragraphs({ text }) {
  return text.split(/\n\s*\n/).map((part, number) => (
    <p key={number} dir="auto">
      {part}
    </p>
  ));
}
