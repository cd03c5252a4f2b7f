// All answers of the unit before it is handed in, each with a way back to it, and the comment. On a phone the answers
// of a finished conversation are folded.

import { useState } from "react";
import { asked, given, keyOf, placeOfTurn, spoken, stepsOf, turnOf, unwritten } from "../logic.js";
import { Dialog } from "../parts/Dialog.jsx";
import { Screen } from "../parts/Screen.jsx";
import { useNarrow } from "../parts/useNarrow.js";
import { shortName } from "../screens/Instructions.jsx";
import { useTexts } from "../texts.js";
import { Comment } from "./Comment.jsx";

export function Overview({ survey, items, about, answersOf, ready, work, actions, busy, reminded, onRemind, onSubmit }) {
  const t = useTexts();
  const narrow = useNarrow();
  const [tried, setTried] = useState(false);
  const open = items.flatMap((_, place) => (ready[place] ? [] : [place + 1]));
  const [reminding, setReminding] = useState(false);
  const bare = items.filter((item) => unwritten(survey, item, answersOf(item)).length > 0);
  const submit = (event) => {
    event.preventDefault();
    if (open.length > 0) setTried(true);
    else if (bare.length > 0 && !reminded) remind();
    else if (!busy) onSubmit();
  };
  const remind = () => {
    onRemind();
    setReminding(true);
  };
  const write = () => {
    const [{ question, target }] = unwritten(survey, bare[0], answersOf(bare[0]));
    actions.go({ item: bare[0].item, step: 0, focus: keyOf(question.name, target) });
  };
  return (
    <Screen title={t("overview_title")} className="overview">
      <p>{t("overview_intro")}</p>
      <form onSubmit={submit}>
        <ol className="cards">
          {items.map((item, place) => (
            <Card
              key={item.item}
              {...{ survey, item, t }}
              number={place + 1}
              answers={answersOf(item)}
              ready={ready[place]}
              folded={narrow && ready[place]}
              onChange={(step = 0) => actions.go({ item: item.item, step })}
            />
          ))}
        </ol>
        {about && (
          <div className="card about">
            <div className="card-top">
              <h2>{t("questionnaire_title")}</h2>
              <button
                type="button"
                onClick={() => actions.go("questionnaire")}
                aria-label={t("questionnaire_change")}
              >
                {t("overview_change")}
              </button>
            </div>
            <p className="soft">{t("questionnaire_answered", { answered: about.answers.length, total: about.total })}</p>
          </div>
        )}
        <Comment {...{ survey, work, actions }} />
        <p className="error" role="alert">
          {tried && open.length > 0 ? t("hand_in_incomplete", { items: open.join(", ") }) : ""}
        </p>
        <div className="actions">
          <button
            type="button"
            onClick={() =>
              actions.go(about ? "questionnaire" : { item: items[items.length - 1].item, step: 0, last: true })
            }
          >
            {t("back")}
          </button>
          <button type="submit" className="primary" disabled={busy}>
            {busy ? t("handing_in") : t("hand_in")}
          </button>
        </div>
      </form>
      {reminding && (
        <Dialog
          title={t("reasons_title")}
          onClose={() => setReminding(false)}
          actions={
            <>
              <button type="button" className="primary" onClick={write}>
                {t("reasons_write")}
              </button>
              <button type="button" disabled={busy} onClick={onSubmit}>
                {t("reasons_without")}
              </button>
            </>
          }
        >
          <p>{t("reasons_text", { without: bare.length, total: items.length })}</p>
        </Dialog>
      )}
    </Screen>
  );
}

function Card({ survey, item, number, answers, ready, folded, onChange, t }) {
  const pairs = asked(survey, item, answers);
  const turns = item.layout === "turn_by_turn" ? pairs.filter(({ target }) => turnOf(target) !== null) : [];
  const rows = pairs.filter((pair) => !turns.includes(pair)).map(({ question, target }) => {
    const key = keyOf(question.name, target);
    return { key, name: shortName(question, target, item, t), said: spoken(question, answers[key]?.answer, item) };
  });
  const list = (
    <>
      {turns.length > 0 && <ByTurn {...{ survey, item, answers, onChange, t }} />}
      <dl className="answers">
        {rows.map(({ key, name, said }) => (
          <div key={key}>
            <dt dir="auto">{name}</dt>
            <dd dir="auto">{said ?? t("answer_missing")}</dd>
          </div>
        ))}
      </dl>
    </>
  );
  return (
    <li className={`card ${ready ? "" : "open"} ${turns.length > 0 ? "by-turn" : ""}`}>
      <div className="card-top">
        <h2>
          {t(item.transcripts.length > 1 ? "pair_short" : "item_short", { number })}
          <span className={ready ? "state" : "state open"}>
            {ready ? t("overview_complete") : t("overview_incomplete")}
          </span>
        </h2>
        <button type="button" onClick={() => onChange()} aria-label={t("overview_change_item", { number })}>
          {t("overview_change")}
        </button>
      </div>
      {folded ? (
        <details>
          <summary>{t("onboarding_yours")}</summary>
          {list}
        </details>
      ) : (
        list
      )}
    </li>
  );
}

// One line a turn, with its answers and the way back to it.
function ByTurn({ survey, item, answers, onChange, t }) {
  return (
    <ol className="turn-rows">
      {stepsOf(survey, item, answers).map(({ turn, pairs }, step) => {
        if (turn === null) return null;
        const { number } = placeOfTurn(item, turn);
        const said = pairs.map(({ question, target }) => {
          const { answer } = answers[keyOf(question.name, target)] ?? {};
          const name = question.heading || question.wording;
          return `${name}: ${given(question, answer) ? spoken(question, answer, item) : t("answer_missing")}`;
        });
        return (
          <li key={turn}>
            <button
              type="button"
              className="quiet"
              onClick={() => onChange(step)}
              aria-label={t("overview_change_turn", { number })}
            >
              {t("target_turn", { number })}
            </button>
            <span className="text" dir="auto">
              {item.transcripts[0].turns[turn].text}
            </span>
            <span className="said" dir="auto">
              {said.join(" · ")}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
