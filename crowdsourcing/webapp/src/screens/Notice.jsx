// Screens on which there is nothing to do, or one thing.

import { useEffect } from "react";
import { Screen } from "../parts/Screen.jsx";
import { Enough } from "./Ready.jsx";
import { useTexts } from "../texts.js";

const LOOK_AGAIN = 15_000;

export function Loading({ problem, onRetry }) {
  const t = useTexts();
  if (!problem) return <p className="loading">{t("loading")}</p>;
  return (
    <Screen title={t("error_title")}>
      <p role="alert">{problem.text || problem.code || problem.status}</p>
      <button type="button" className="primary" onClick={onRetry}>
        {t("retry")}
      </button>
    </Screen>
  );
}

export function Notice({ kind, text, onContinue, busy }) {
  const t = useTexts();
  const known = ["late", "link", "doubled"].includes(kind) ? kind : "gone";
  return (
    <Screen title={t(`${known}_title`)}>
      <p>{t(known)}</p>
      {text && !["late", "doubled"].includes(known) && (
        <p className="soft" dir="auto">
          {text}
        </p>
      )}
      {onContinue && (
        <button type="button" className="primary" disabled={busy} onClick={onContinue}>
          {t("late_continue")}
        </button>
      )}
    </Screen>
  );
}

export function Waiting({ session, busy, onCheck }) {
  const t = useTexts();
  useEffect(() => {
    const timer = setInterval(onCheck, LOOK_AGAIN);
    return () => clearInterval(timer);
  }, [onCheck]);
  return (
    <Screen title={t("waiting_title")}>
      <p dir="auto">{session.why || t("waiting")}</p>
      <button type="button" className="primary" disabled={busy} onClick={onCheck}>
        {t("waiting_check")}
      </button>
      <Enough finish={session.finish} />
    </Screen>
  );
}
