// The exercises before the first task, and what was right about them, with the explanations.

import { asked, complete, itemAnswers, keyOf, spoken } from "../logic.js";
import { Paragraphs, Screen } from "../parts/Screen.jsx";
import { useTexts } from "../texts.js";
import { Item } from "../work/Item.jsx";
import { Transcripts } from "../work/Transcripts.jsx";
import { useWork } from "../work/useWork.js";
import { shortName } from "./Instructions.jsx";
import { Training, TrainingResult } from "./Training.jsx";

export const handleOf = ({ survey, onboarding }) =>
  onboarding.handle ? `training:${onboarding.handle}` : `practice:${survey.name}:${onboarding.attempt}`;

export function Onboarding(props) {
  return props.session.onboarding.rounds ? <Training {...props} handle={handleOf(props.session)} /> : <Exercises {...props} />;
}

function Exercises({ session, onFinish, busy, stores }) {
  const t = useTexts();
  const { survey } = session;
  const { items, attempt, attempts, needed } = session.onboarding;
  const { work, actions } = useWork(stores.practice, handleOf(session), survey);
  const place = Math.max(0, items.findIndex((item) => item.item === work.at.item));
  const item = items[place];
  const last = place === items.length - 1;
  const finish = () => {
    const now = actions.latest();
    const open = items.find((one) => !complete(survey, one, now.answers[one.item] ?? {}));
    if (open) return actions.go({ item: open.item, step: 0 });
    return onFinish(
      items.map((one) => itemAnswers(survey, one, now.answers[one.item] ?? {}, now.seconds[one.item] ?? 0, "")),
    );
  };
  return (
    <div className="unit practice">
      <div className="unit-top">
        <p className="note">
          {t("onboarding_intro", { attempt, attempts })} {t("onboarding_needed", { needed, total: items.length })}
        </p>
      </div>
      <Item
        key={item.item}
        survey={survey}
        item={item}
        title={t("onboarding_item", { number: place + 1, total: items.length })}
        answers={work.answers[item.item] ?? {}}
        at={work.at}
        actions={actions}
        busy={busy}
        onBack={place > 0 ? () => actions.go({ item: items[place - 1].item, step: 0, last: true }) : null}
        onDone={last ? finish : () => actions.go({ item: items[place + 1].item, step: 0 })}
        doneText={last ? t("onboarding_check") : t("continue")}
      />
    </div>
  );
}

export function OnboardingResult(props) {
  return props.result.onboarding_result.turns ? <TrainingResult {...props} /> : <ExercisesResult {...props} />;
}

function ExercisesResult({ session, result, given, onContinue }) {
  const t = useTexts();
  const { passed, right, of, items: marks } = result.onboarding_result;
  const again = !passed && result.state === "onboarding";
  return (
    <Screen title={t("onboarding_title")} className="reading">
      <p className={passed ? "verdict right" : "verdict wrong"}>
        {t(passed ? "onboarding_passed" : "onboarding_failed", { right, of })}
      </p>
      {again && <p>{t("onboarding_again")}</p>}
      {marks.map((mark) => (
        <Mark
          key={mark.item}
          survey={session.survey}
          item={session.onboarding.items.find((item) => item.item === mark.item)}
          mark={mark}
          answers={Object.fromEntries(
            (given.find((one) => one.item === mark.item)?.answers ?? []).map((row) => [keyOf(row.question, row.target), row]),
          )}
        />
      ))}
      <div className="actions">
        <button type="button" className="primary" onClick={onContinue}>
          {t(again ? "onboarding_again_button" : "onboarding_next")}
        </button>
      </div>
    </Screen>
  );
}

function Mark({ survey, item, mark, answers }) {
  const t = useTexts();
  return (
    <section className={mark.right ? "mark right" : "mark wrong"}>
      <h2>
        {t("onboarding_short", { number: mark.item + 1 })}
        <span className="state">{t(`onboarding_${mark.right ? (mark.unsure ? "unsure" : "right") : "wrong"}`)}</span>
      </h2>
      {item && (
        <div className={`layout-${item.layout}`}>
          <Transcripts item={item} turn={null} level={3} />
        </div>
      )}
      {item && (
        <>
          <h3>{t("onboarding_yours")}</h3>
          <dl className="answers">
            {asked(survey, item, answers).map(({ question, target }) => (
              <div key={keyOf(question.name, target)}>
                <dt dir="auto">{shortName(question, target, item, t)}</dt>
                <dd dir="auto">
                  {spoken(question, answers[keyOf(question.name, target)]?.answer, item) ?? t("answer_missing")}
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
      <Paragraphs text={mark.explanation} />
    </section>
  );
}
