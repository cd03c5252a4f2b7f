// Before a task: how many are done, how long one may take, the game's standing.

import { FinishStep } from "./Finish.jsx";
import { Leaderboard } from "./Leaderboard.jsx";
import { Progress } from "../parts/Progress.jsx";
import { Screen } from "../parts/Screen.jsx";
import { useTexts } from "../texts.js";

export function Ready({ session, step, busy }) {
  const t = useTexts();
  const { done, allowance, used = done } = session.progress;
  const minutes = session.survey.limits.minutes_per_unit;
  return (
    <Screen title={t(done ? "ready_thanks" : "ready_title")}>
      {(done > 0 || used === 0) && <p>{done ? t("ready_more") : t("ready_first")}</p>}
      <Progress text={t("allowance_progress", { done, allowance })} done={done} total={allowance} />
      {used > done && <p className="soft">{t("allowance_used", { allowance, used })}</p>}
      <p className="soft">
        {t("allowance")} {t("ready_time", { minutes: Math.round(minutes) })}
      </p>
      <div className="actions">
        <button type="button" className="primary" disabled={busy} onClick={() => step("POST", "unit", {})}>
          {done ? t("ready_next") : t("ready_start")}
        </button>
      </div>
      <Enough finish={session.finish} />
      <Leaderboard game={session.game} />
    </Screen>
  );
}

// Where the platform pays what is done, one may stop before the allowance is used.
export function Enough({ finish }) {
  const t = useTexts();
  if ((finish?.kind ?? "none") === "none") return null;
  return (
    <>
      <p className="enough">{t("ready_enough")}</p>
      <FinishStep finish={finish} />
    </>
  );
}
