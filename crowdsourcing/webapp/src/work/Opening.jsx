// The game: the annotator opens the dialogue exchange by exchange and decides for each entity when sure. A decision is
// the server's at once and final.

import { useRef, useState } from "react";
import { decisionOf, keyOf, labelOf, nameOf } from "../logic.js";
import { Question } from "../questions/Question.jsx";
import { rulesOf } from "../screens/Instructions.jsx";
import { useTexts } from "../texts.js";

// This answer is to be had only when there is nothing left to open.
const UNSURE = "unsure";

// Where the focus goes when a decision is made: the other entity, or on.
const NEXT = ".decision input, .actions .primary";

// Which of a step's questions are decisions.
export function decisionsOf(survey, item, pairs) {
  const question = decisionOf(survey, item);
  return pairs.filter((pair) => pair.question === question);
}

export function Opening({ survey, item, pairs, answers, actions, game, busy }) {
  const t = useTexts();
  const [said, setSaid] = useState("");
  const place = useRef(null);
  const { opened, more } = item.opening;
  const undecided = pairs.filter(({ question, target }) => !(keyOf(question.name, target) in answers));
  const open = async () => {
    if (await game.open(item)) {
      setSaid(t("game_opened_now"));
      document.querySelector(".transcript li:last-child")?.scrollIntoView({ block: "nearest" });
    }
  };
  return (
    <>
      {survey.game && <p className="soft">{t("game_rules", rulesOf(survey.game))}</p>}
      <div className="opening" ref={place}>
        <p>{t("game_opened", { opened })}</p>
        {more && undecided.length > 0 && (
          <button type="button" disabled={busy} onClick={open}>
            {t("game_open")}
            {survey.game && <span className="soft">{t("game_open_cost", rulesOf(survey.game))}</span>}
          </button>
        )}
        {!more && <p className="soft">{t("game_all_open")}</p>}
        <p className="unseen" role="status">
          {said}
        </p>
      </div>
      {pairs.map(({ question, target }) => (
        <Decision
          key={keyOf(question.name, target)}
          {...{ survey, item, question, target, actions, game, busy }}
          first={target === undecided[0]?.target}
          decided={answers[keyOf(question.name, target)]?.answer}
          onDecided={(words) => {
            setSaid(words);
            setTimeout(() => place.current?.closest("form").querySelector(NEXT)?.focus());
          }}
        />
      ))}
    </>
  );
}

function Decision({ survey, item, question, target, decided, first, actions, game, busy, onDecided }) {
  const t = useTexts();
  const [choice, setChoice] = useState(undefined);
  const [tried, setTried] = useState(false);
  const group = useRef(null);
  const word = (value) => labelOf(question.options.find((option) => option.value === value), item);
  const entity = nameOf(target, item);
  if (decided !== undefined) {
    return (
      <p className="decided" dir="auto">
        {t("game_decided", { entity, answer: word(decided) })}
      </p>
    );
  }
  const decide = async () => {
    if (choice === undefined) {
      setTried(true);
      group.current?.querySelector("input")?.focus();
      return;
    }
    const key = keyOf(question.name, target);
    actions.answer(item.item, question, key, choice, {});
    const seconds = Math.round(actions.latest().answers[item.item][key].seconds * 10) / 10;
    if (await game.decide(item, question, target, choice, seconds)) {
      onDecided(t("game_decided", { entity, answer: word(choice) }));
    }
  };
  const enter = (event) => {
    if (event.key !== "Enter" || event.target.type !== "radio") return;
    event.preventDefault();
    if (!busy) decide();
  };
  return (
    <div className="decision" ref={group} onKeyDown={enter}>
      <Question
        {...{ survey, item, question, target, first }}
        answer={choice}
        wrong={tried && choice === undefined}
        barred={item.opening.more ? [UNSURE] : []}
        onAnswer={setChoice}
      />
      <button type="button" className={choice === undefined ? "decide" : "decide primary"} disabled={busy} onClick={decide}>
        {choice === undefined ? t("game_choose") : t("game_decide", { entity, answer: word(choice) })}
      </button>
    </div>
  );
}
