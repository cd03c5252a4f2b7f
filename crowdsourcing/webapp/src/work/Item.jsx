// One item: the transcripts, and beside them the questions of the step in hand (on a phone, later steps have the
// transcripts folded above them, in view). A step is left only when it is answered;
// what is missing is said and gets the focus.

import { useEffect, useRef, useState } from "react";
import { barredOf, clashing, explains, keyOf, missing, placeOfTurn, stepsOf } from "../logic.js";
import { Progress } from "../parts/Progress.jsx";
import { useFocusOn } from "../parts/Screen.jsx";
import { useNarrow } from "../parts/useNarrow.js";
import { Question } from "../questions/Question.jsx";
import { shortName } from "../screens/Instructions.jsx";
import { useTexts } from "../texts.js";
import { Guide } from "./Guide.jsx";
import { Opening, decisionsOf } from "./Opening.jsx";
import { Transcripts } from "./Transcripts.jsx";
import { useNumberKeys } from "./useNumberKeys.js";

export function Item(props) {
  const { survey, item, title, answers, at, actions, game, busy, onBack, onDone, onOverview, doneText } = props;
  const t = useTexts();
  const narrow = useNarrow();
  const steps = stepsOf(survey, item, answers);
  const number = at.last ? steps.length - 1 : Math.min(at.step ?? 0, steps.length - 1);
  const wanted = at.focus ? steps.findIndex((one) => one.pairs.some((pair) => nameOfPair(pair) === at.focus)) : -1;
  const step = reachable(steps, wanted >= 0 ? wanted : number, answers);
  const { turn, pairs } = steps[step];
  const heading = useFocusOn(title);
  const [tried, setTried] = useState(false);
  const form = useRef(null);
  useStepFocus(form, step);
  useEffect(() => {
    const pair = at.focus && pairs.find((one) => nameOfPair(one) === at.focus);
    if (pair) focusQuestion(form.current, pair);
  }, [at.focus]);
  useNumberKeys(form);
  useEffect(() => setTried(false), [step]);
  const open = missing(pairs, answers);
  const decisions = game ? decisionsOf(survey, item, pairs) : [];
  const deciding = decisions.length > 0;
  const undecided = open.some((pair) => decisions.includes(pair));
  const shown = pairs.filter((pair) => !decisions.includes(pair));

  const goOn = (event) => {
    event?.preventDefault();
    if (open.length > 0) {
      setTried(true);
      focusQuestion(form.current, open[0]);
    } else if (step + 1 < steps.length) actions.go({ item: item.item, step: step + 1 });
    else onDone();
  };
  const back = step > 0 ? () => actions.go({ item: item.item, step: step - 1 }) : onBack;
  const last = step === steps.length - 1;
  const counted = steps.length > 1 ? t("step", { number: step + 1, total: steps.length }) : t("questions");
  const place = turn === null ? null : placeOfTurn(item, turn);
  const turns = steps.filter((one) => one.turn !== null);
  const done = turns.filter((one) => one.pairs.length > 0 && missing(one.pairs, answers).length === 0).length;
  return (
    <article className={`item layout-${item.layout}`}>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {props.intro && <p className="soft intro">{props.intro}</p>}
      {narrow && step > 0 && turn === null ? (
        <details className="conversation">
          <summary>{t("transcript_show")}</summary>
          <Transcripts item={item} turn={turn} />
        </details>
      ) : (
        <Transcripts item={item} turn={turn} />
      )}
      <form className="panel" ref={form} onSubmit={goOn} noValidate>
        <div className="step-top">
          <h2 tabIndex={-1} className="step-heading">
            {place ? t("turn_step", place) : counted}
          </h2>
          <Guide survey={survey} said={turn === null ? null : item.transcripts[0].turns[turn].text} />
          {place && turns.length > 1 && (
            <Progress
              text={t("turn_progress", { done, total: turns.length })}
              done={done}
              total={turns.length}
              className="unseen"
            />
          )}
        </div>
        {deciding && (
          <Opening {...{ survey, item, answers, actions, game, busy }} pairs={decisions} />
        )}
        {shown.map(({ question, target }, place) => (
          <Question
            key={keyOf(question.name, target)}
            {...{ survey, item, question, target }}
            answer={answers[keyOf(question.name, target)]?.answer}
            first={pairs.find((one) => one.question === question).target === target}
            explained={explains(shown[place], shown)}
            wrong={tried && open.some((one) => one.question === question && one.target === target)}
            barred={barredOf(question, target, answers)}
            onAnswer={(answer, hints) => {
              for (const other of clashing(survey, question, target, answer, answers)) {
                actions.answer(item.item, other, keyOf(other.name, target), null);
              }
              actions.answer(item.item, question, keyOf(question.name, target), answer, hints);
            }}
          />
        ))}
        {last && props.remark !== undefined && <Remark {...{ survey, item, actions }} text={props.remark} />}
        <p className="error" role="alert">
          {tried && open.length > 0
            ? t("unanswered_some", { what: open.map((one) => shortName(one.question, one.target, item, t)).join(", ") })
            : ""}
        </p>
        <div className="actions">
          {back && (
            <button type="button" onClick={back}>
              {t("back")}
            </button>
          )}
          {onOverview && !last && (
            <button type="button" onClick={onOverview}>
              {props.overviewText ?? t("to_overview")}
            </button>
          )}
          {!undecided && (
            <button type="submit" className="primary" disabled={busy}>
              {last ? doneText : t("continue")}
            </button>
          )}
        </div>
        <p className="soft keys">{t("keys_hint")}</p>
      </form>
    </article>
  );
}

const nameOfPair = ({ question, target }) => keyOf(question.name, target);

// The step asked for, or the first before it that still lacks answers.
function reachable(steps, wanted, answers) {
  const first = steps.findIndex((step) => missing(step.pairs, answers).length > 0);
  return first >= 0 ? Math.min(wanted, first) : wanted;
}

// A step that follows another within the item gets the focus by its heading.
function useStepFocus(form, step) {
  const before = useRef(step);
  useEffect(() => {
    if (before.current !== step) form.current?.querySelector(".step-heading")?.focus();
    before.current = step;
  }, [form, step]);
}

export function focusQuestion(form, { question, target }) {
  const group = form?.querySelector(`[data-question="${CSS.escape(keyOf(question.name, target))}"]`);
  (group?.querySelector("input:not([disabled]), textarea, button:not(.timer button)") ?? group)?.focus();
}

function Remark({ survey, item, actions, text }) {
  const t = useTexts();
  return (
    <details className="remark" open={text !== "" || undefined}>
      <summary>{t("item_comment")}</summary>
      <textarea
        dir="auto"
        rows={2}
        aria-label={t("item_comment")}
        maxLength={survey.limits.comment_length}
        value={text}
        onChange={(event) => actions.remark(item.item, event.target.value)}
      />
    </details>
  );
}
