// The training of a task: a dialogue a round, annotated as in the work, then what was expected of each turn, and why.

import { useState } from "react";
import { complete, itemAnswers, placeOfTurn } from "../logic.js";
import { Dialog } from "../parts/Dialog.jsx";
import { Screen } from "../parts/Screen.jsx";
import { Turn } from "../parts/Transcript.jsx";
import { useTexts } from "../texts.js";
import { headingOf } from "../work/Guide.jsx";
import { Item } from "../work/Item.jsx";
import { useWork } from "../work/useWork.js";

export function Training({ session, handle, onFinish, busy, stores }) {
  const t = useTexts();
  const { survey } = session;
  const { items, attempt, attempts, round, rounds, allowed, results } = session.onboarding;
  const [item] = items;
  const { work, kept, actions } = useWork(stores.unit, handle, survey);
  const [looking, setLooking] = useState(false);
  const finish = () => {
    const now = actions.latest();
    const answers = now.answers[item.item] ?? {};
    if (!complete(survey, item, answers)) return actions.go({ item: item.item, step: 0 });
    return onFinish([itemAnswers(survey, item, answers, now.seconds[item.item] ?? 0, "")]);
  };
  return (
    <div className="unit practice">
      <div className="unit-top">
        <div className="note">
          <p>
            {attempt > 1 ? t("training_again", { attempt, attempts }) : t("training_intro", { rounds })}{" "}
            {round === rounds ? t("training_decides", { allowed }) : t("training_learns")}
          </p>
          {results.length > 0 && (
            <button type="button" className="quiet" onClick={() => setLooking(true)}>
              {t("training_results")}
            </button>
          )}
        </div>
      </div>
      {!kept && (
        <p className="message warning" role="status">
          {t("storage_failed")}
        </p>
      )}
      <Item
        key={handle}
        survey={survey}
        item={item}
        title={roundTitle(t, { attempt, round, rounds })}
        answers={work.answers[item.item] ?? {}}
        at={work.at}
        actions={actions}
        busy={busy}
        onBack={null}
        onDone={finish}
        doneText={t("training_check")}
      />
      {looking && (
        <Dialog title={t("training_results")} onClose={() => setLooking(false)} wide>
          {results.map((result) => (
            <section key={`${result.attempt} ${result.round}`} className="past-round">
              <h2>{roundTitle(t, result)}</h2>
              <p>{summary(t, result)}</p>
              <Marks survey={survey} result={result} />
            </section>
          ))}
        </Dialog>
      )}
    </div>
  );
}

const roundTitle = (t, { attempt, round, rounds }) =>
  attempt > 1 ? t("training_second") : t("training_round", { round, rounds });

const summary = (t, { wrong_turns: wrong, of }) => t("training_summary", { right: of - wrong, of });

export function TrainingResult({ session, result, onContinue }) {
  const t = useTexts();
  const { survey } = session;
  const told = result.onboarding_result;
  const further = result.state === "onboarding";
  const verdict = told.passed === null ? "" : told.passed ? "right" : "wrong";
  return (
    <Screen title={t("training_told", { round: roundTitle(t, told) })} className="reading told">
      <p className={verdict ? `verdict ${verdict}` : "note"} role="status">
        {summary(t, told)} {verdict && t(told.passed ? "training_passed" : "training_failed", { allowed: told.allowed })}{" "}
        {told.passed === false && t(further ? "training_further" : "training_over")}
      </p>
      <p className="soft">{told.wrong_turns > 0 ? t("training_read") : t("training_all_right")}</p>
      <Marks survey={survey} result={told} />
      <div className="actions">
        <button type="button" className="primary" onClick={onContinue}>
          {t(told.passed === false && further ? "onboarding_again_button" : further ? "training_next" : "onboarding_next")}
        </button>
      </div>
    </Screen>
  );
}

// The dialogue in order. Turns that were expected otherwise are open; of the others the reason is a click away.
function Marks({ survey, result }) {
  const t = useTexts();
  const [transcript] = result.item.transcripts;
  const marks = Object.fromEntries(result.turns.map((mark) => [mark.turn, mark]));
  return (
    <ol className="told-turns">
      {transcript.turns.map((turn, number) => (
        <Turn
          key={number}
          turn={turn}
          entity={transcript.entities.find((one) => one.key === `entity:${turn.entity}`)}
        >
          {marks[number] && <Mark {...{ survey, t }} mark={marks[number]} place={placeOfTurn(result.item, number)} />}
        </Turn>
      ))}
    </ol>
  );
}

function Mark({ survey, mark, place, t }) {
  const words = (labels) => labels.map((label) => headingOf(survey, label)).join(", ") || t("training_none");
  if (mark.right) {
    return (
      <details className="told right">
        <summary>
          <span className="sign" aria-hidden="true">
            ✓
          </span>{" "}
          {t("training_turn_right", { number: place.number, labels: words(mark.expected) })}
        </summary>
        <p dir="auto">{mark.why}</p>
      </details>
    );
  }
  return (
    <section className="told wrong" aria-label={t("training_turn_wrong", { number: place.number })}>
      <p className="told-head">
        <span className="sign" aria-hidden="true">
          ✗
        </span>{" "}
        {t("training_turn_wrong", { number: place.number })}
      </p>
      <dl>
        <div>
          <dt>{t("training_yours")}</dt>
          <dd dir="auto">{words(mark.yours)}</dd>
        </div>
        <div>
          <dt>{t("training_expected")}</dt>
          <dd dir="auto">{words(mark.expected)}</dd>
        </div>
      </dl>
      <p dir="auto">
        <strong>{t("example_why")}:</strong> {mark.why}
      </p>
    </section>
  );
}
