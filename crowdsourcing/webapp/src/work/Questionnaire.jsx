// What annotators may say of themselves, once, after their first task: every question can be left out.

import { useRef } from "react";
import { given } from "../logic.js";
import { Screen } from "../parts/Screen.jsx";
import { Question } from "../questions/Question.jsx";
import { besideOf } from "../store.js";
import { useTexts } from "../texts.js";
import { useNumberKeys } from "./useNumberKeys.js";

const NAME = "questionnaire";
const TARGET = "annotator";
const NO_ITEM = { item: -1, questions: [], transcripts: [] };

// What is kept of it: the answers as they are handed in, of how many, and whether the annotator has been here.
export function aboutOf(survey, work) {
  const kept = besideOf(work, NAME);
  const answers = survey.questionnaire
    .filter((question) => given(question, kept[question.name]))
    .map((question) => ({ question: question.name, target: TARGET, answer: kept[question.name] }));
  return { answers, total: survey.questionnaire.length, seen: kept.seen === true };
}

export function Questionnaire({ survey, work, actions, onBack, onDone }) {
  const t = useTexts();
  const form = useRef(null);
  useNumberKeys(form);
  const kept = besideOf(work, NAME);
  const goOn = (event) => {
    event.preventDefault();
    actions.beside(NAME, () => ({ seen: true }));
    onDone();
  };
  return (
    <Screen title={t("questionnaire_title")} className="questionnaire">
      <p>{t("questionnaire_intro")}</p>
      <form ref={form} onSubmit={goOn} noValidate>
        {survey.questionnaire.map((question) => (
          <Question
            key={question.name}
            {...{ survey, question }}
            item={NO_ITEM}
            target={TARGET}
            answer={kept[question.name]}
            onAnswer={(answer) => actions.beside(NAME, () => ({ [question.name]: answer }))}
          />
        ))}
        <div className="actions">
          <button type="button" onClick={onBack}>
            {t("back")}
          </button>
          <button type="submit" className="primary">
            {t("to_overview")}
          </button>
        </div>
        <p className="soft keys">{t("keys_hint")}</p>
      </form>
    </Screen>
  );
}
