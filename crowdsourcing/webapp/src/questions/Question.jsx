// One question about one target, as a group with its wording, help, answers and what is wrong with it. A kind of
// question is a component in KINDS; it gets {question, item, answer, barred, explained, onAnswer, name, label, limits}:
// `barred` are values that can't be chosen now. What is the same for all targets is said for the `first` only, what the
// answers mean only where they are `explained`: many questions may have the same ones.

import { useId, useRef } from "react";
import { given, keyOf, nameOf, wordingOf } from "../logic.js";
import { useTexts } from "../texts.js";
import { Checkboxes } from "./Checkboxes.jsx";
import { Choice } from "./Choice.jsx";
import { FreeText } from "./FreeText.jsx";
import { Ranking } from "./Ranking.jsx";
import { Slider } from "./Slider.jsx";
import { Swatch } from "./Swatch.jsx";
import { Timer } from "./Timer.jsx";

const KINDS = { choice: Choice, scale: Choice, checkboxes: Checkboxes, ranking: Ranking, free_text: FreeText };
const ONE_OF = ["choice", "scale"];

// A scale of more values than fit in a row.
const slides = (question) => question.kind === "scale" && question.options.length > 7;

export function Question(props) {
  const { survey, item, question, target, answer, wrong, barred = [], first = true, explained = first, onAnswer } = props;
  const t = useTexts();
  const help = useId();
  const error = useId();
  const edit = useEdit(question, answer);
  const Kind = slides(question) ? Slider : KINDS[question.kind];
  const radio = ONE_OF.includes(question.kind) && !slides(question);
  const key = keyOf(question.name, target);
  const heading = headingOf(question, target, item);
  const hint = { checkboxes: "checkboxes_hint", ranking: "ranking_hint" }[question.kind];
  return (
    <fieldset
      className={`question ${question.kind} ${wrong ? "wrong" : ""}`}
      role={radio ? "radiogroup" : undefined}
      aria-required={radio ? question.required : undefined}
      aria-describedby={`${help} ${error}`}
      data-question={key}
      data-answered={given(question, answer)}
    >
      <legend dir="auto">
        <Swatch target={target} item={item} />
        {heading && <span className="heading">{heading} </span>}
        <span className="wording">{wordingOf(question, target, item)}</span>
        {!question.required && <span className="soft"> ({t("optional")})</span>}
      </legend>
      <p id={help} className="help" dir="auto">
        {first && [question.help, hint && t(hint)].filter(Boolean).join(" ")}
      </p>
      {question.timer > 0 && <Timer key={key} seconds={question.timer} />}
      <Kind
        {...{ question, item, answer, barred, explained }}
        name={key}
        label={wordingOf(question, target, item)}
        limits={survey.limits}
        onAnswer={(value) => onAnswer(value, edit())}
      />
      <p id={error} className="error">
        {wrong ? t(question.kind === "ranking" ? "unanswered_ranking" : "unanswered") : ""}
      </p>
    </fieldset>
  );
}

// The text before the wording: the question's short name, or its target where the wording doesn't name it.
function headingOf(question, target, item) {
  const about = question.wording.includes("{entity}") ? "" : nameOf(target, item);
  return about || (question.targets.length === 1 ? question.heading : "");
}

// Choosing another option is a change of mind each time; typing, ticking and ordering count once for each visit to a
// question that had its answer already.
function useEdit(question, answer) {
  const had = useRef(given(question, answer));
  const edits = useRef(0);
  return () => {
    if (ONE_OF.includes(question.kind)) return {};
    edits.current += 1;
    return { goesOn: !(had.current && edits.current === 1) };
  };
}
