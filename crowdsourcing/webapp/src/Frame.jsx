// What is around every screen: the title, the instructions at hand, the time left, and what went wrong.

import { useEffect, useState } from "react";
import { Dialog } from "./parts/Dialog.jsx";
import { Instructions } from "./screens/Instructions.jsx";
import { useTexts } from "./texts.js";

const SHORT = 10 * 60;

export function Frame({ session, notice, trouble, problem, children }) {
  const t = useTexts();
  const [reading, setReading] = useState(false);
  const survey = session?.survey;
  const atHand = survey && ["working", "ready", "onboarding", "waiting"].includes(session.state);
  return (
    <>
      <a className="skip" href="#content">
        {t("skip")}
      </a>
      <header className="top">
        <p className="title" dir="auto">
          {survey?.title ?? ""}
        </p>
        {!notice && <TimeLeft session={session} />}
        {atHand && (
          <button type="button" className="quiet" onClick={() => setReading(true)}>
            {t("instructions")}
          </button>
        )}
      </header>
      <Messages trouble={trouble} problem={problem} session={session} />
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      {reading && (
        <Dialog title={t("instructions_title")} onClose={() => setReading(false)} wide>
          <Instructions survey={survey} />
        </Dialog>
      )}
    </>
  );
}

// Troubles with the network are told politely and go by themselves; a refusal is an alert.
function Messages({ trouble, problem, session }) {
  const t = useTexts();
  const kept = session?.state === "working" ? ` ${t("error_kept")}` : "";
  const state = trouble === null ? t("error_back") : trouble && t(`error_${trouble.kind}`, { seconds: trouble.seconds }) + kept;
  const [seen, setSeen] = useState(null);
  useEffect(() => {
    if (trouble !== null) return undefined;
    const timer = setTimeout(() => setSeen(state), 4000);
    return () => clearTimeout(timer);
  }, [trouble, state]);
  useEffect(() => setSeen(null), [trouble]);
  return (
    <div className="messages">
      <div role="status" data-testid="trouble" className={trouble ? "message warning" : "message"}>
        {state && state !== seen ? state : ""}
      </div>
      <div role="alert" className="message error">
        {problem ? said(problem, t) : ""}
      </div>
      <div role="status" className="message">
        {session?.left ? t("chat_left") : ""}
      </div>
    </div>
  );
}

function said(problem, t) {
  if (problem.status === 413) return t("error_too_large");
  return t("error_refused", { text: problem.text || problem.code || problem.status });
}

function TimeLeft({ session }) {
  const t = useTexts();
  const [, tick] = useState(0);
  const left = session?.state === "working" ? session.unit.seconds_left : undefined;
  useEffect(() => {
    if (left === undefined) return undefined;
    const timer = setInterval(() => tick((count) => count + 1), 5000);
    return () => clearInterval(timer);
  }, [left]);
  if (left === undefined) return null;
  const seconds = left - (Date.now() - session.received) / 1000;
  const calm = seconds > SHORT;
  // In a chat one does not see by oneself how much is still to be done; candidates are picked against a time that counts.
  if (calm && !session.survey.chat && session.survey.layout !== "candidates") return null;
  const minutes = Math.ceil(seconds / 60);
  const text = seconds <= 0 ? t("time_over") : minutes <= 1 ? t("time_left_last") : t("time_left", { minutes });
  return (
    <p className={calm ? "time calm" : "time"} role={[10, 5, 2, 1, 0].includes(minutes) ? "status" : undefined}>
      {text}
    </p>
  );
}
