// A timer that one may use, for a question that is to take so long and no longer. Nothing depends on it.

import { useEffect, useState } from "react";
import { useTexts } from "../texts.js";

const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

export function Timer({ seconds }) {
  const t = useTexts();
  const [ends, setEnds] = useState(null);
  const [now, setNow] = useState(0);
  const left = ends === null ? seconds : Math.max(0, Math.ceil((ends - now) / 1000));
  useEffect(() => {
    if (ends === null || left === 0) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [ends, left === 0]);
  const start = () => {
    setNow(Date.now());
    setEnds(Date.now() + seconds * 1000);
  };
  return (
    <div className="timer">
      <span className="clock" role="timer" aria-label={t("timer")}>
        {clock(left)}
      </span>
      <progress value={left} max={seconds} aria-hidden="true" />
      <button type="button" onClick={start}>
        {t(ends === null ? "timer_start" : "timer_again")}
      </button>
      <p className="soft" role="status">
        {ends === null ? t("timer_help") : left === 0 ? t("timer_over") : ""}
      </p>
    </div>
  );
}
