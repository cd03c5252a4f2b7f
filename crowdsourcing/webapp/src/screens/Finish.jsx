// The end, whatever its cause: thanks first, then one sentence why, then how the platform hears of it: nothing, a
// completion code, or Mechanical Turk's own form.

import { useState } from "react";
import { Leaderboard } from "./Leaderboard.jsx";
import { Paragraphs, Screen } from "../parts/Screen.jsx";
import { useTexts } from "../texts.js";

export function Finish({ session }) {
  const t = useTexts();
  const { done } = session.progress ?? {};
  return (
    <Screen title={t(done ? "finished_title" : "ended_title")}>
      {session.why && <p dir="auto">{session.why}</p>}
      {done > 0 && <Paragraphs text={session.survey.thanks} />}
      {done > 0 && session.state !== "stopped" && <p className="soft">{t("tasks_done", { done })}</p>}
      <FinishStep finish={session.finish} />
      {(session.finish?.kind ?? "none") === "none" && <p className="soft">{t("finished_next")}</p>}
      <Leaderboard game={session.game} />
    </Screen>
  );
}

// Only addresses of the web are followed, whatever the server sends.
export function webAddress(text) {
  try {
    const url = new URL(text);
    return ["https:", "http:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

export function FinishStep({ finish }) {
  if (finish?.kind === "code") return <Code finish={finish} />;
  if (finish?.kind === "mturk") return <MTurk finish={finish} />;
  return null;
}

function Code({ finish }) {
  const t = useTexts();
  const [said, setSaid] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(finish.code);
      setSaid(t("code_copied"));
    } catch {
      setSaid(t("code_not_copied"));
    }
  };
  const link = webAddress(finish.link);
  return (
    <section className="finish" aria-label={t("code_label")}>
      <p>{t("code_label")}</p>
      <p className="code">
        <code>{finish.code}</code>
        <button type="button" onClick={copy}>
          {t("code_copy")}
        </button>
      </p>
      <p role="status">{said}</p>
      {link && (
        <p>
          <a className="button primary" href={link} rel="noreferrer">
            {t("code_link")}
          </a>
        </p>
      )}
    </section>
  );
}

function MTurk({ finish }) {
  const t = useTexts();
  const action = webAddress(finish.action);
  if (!action) return null;
  return (
    <form className="finish" method="post" action={action}>
      <p>{t("mturk_help")}</p>
      {Object.entries(finish.fields ?? {}).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={String(value)} />
      ))}
      <button type="submit" className="primary">
        {t("mturk_submit")}
      </button>
    </form>
  );
}
