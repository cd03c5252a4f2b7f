// Where the person writes. Enter sends, Shift+Enter begins a line; what is written stays through a reload. While the
// answer is due one may write on, but not send.

import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { useTexts } from "../texts.js";
import { hindrance, lengthOf } from "./logic.js";

const NEARLY = 0.8;

export function Composer({ item, partner, limit, draft, pending, onDraft, onSay }) {
  const t = useTexts();
  const box = useRef(null);
  const hint = useId();
  const error = useId();
  const [tried, setTried] = useState(false);
  const hinders = hindrance(draft, item, pending, limit);
  const used = lengthOf(draft);
  useGrowing(box, draft);
  // Where there is a keyboard, one can write at once (after the heading has had the focus of a new screen); elsewhere the
  // focus would open one over the page.
  useEffect(() => {
    if (!window.matchMedia("(pointer: fine)").matches) return undefined;
    const frame = requestAnimationFrame(() => box.current.focus({ preventScroll: true }));
    return () => cancelAnimationFrame(frame);
  }, []);
  useEffect(() => setTried(false), [draft, hinders]);

  const send = (event) => {
    event?.preventDefault();
    box.current.focus({ preventScroll: true });
    if (hinders === null) onSay(draft);
    else setTried(hinders !== "empty");
  };
  const press = (event) => {
    const composing = event.nativeEvent.isComposing || event.keyCode === 229;
    if (event.key !== "Enter" || event.shiftKey || composing) return;
    event.preventDefault();
    if (!event.repeat) send();
  };
  const wrong = hinders === "too_long" ? t("chat_too_long", { used, limit }) : tried ? t("chat_wait", { partner }) : "";
  return (
    <form className="composer" onSubmit={send}>
      <textarea
        ref={box}
        rows={1}
        dir="auto"
        enterKeyHint="send"
        autoComplete="off"
        aria-label={t("chat_message", { partner })}
        aria-describedby={`${hint} ${error}`}
        aria-invalid={hinders === "too_long"}
        placeholder={t("chat_message", { partner })}
        value={draft}
        onChange={(event) => onDraft(event.target.value)}
        onKeyDown={press}
      />
      <button type="submit" className="primary" aria-disabled={hinders !== null}>
        {t("chat_send")}
      </button>
      <p id={error} role="alert" className="error">
        {wrong}
      </p>
      <p id={hint} className="soft keys">
        {used > limit * NEARLY ? t("characters", { used, limit }) : t("chat_keys")}
      </p>
    </form>
  );
}

// The box is as high as its text, up to what the style sheet allows.
function useGrowing(box, text) {
  useLayoutEffect(() => {
    const { style } = box.current;
    style.height = "auto";
    style.height = `${box.current.scrollHeight + 2}px`;
  }, [box, text]);
}
