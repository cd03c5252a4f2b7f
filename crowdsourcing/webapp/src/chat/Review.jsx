// Before a unit of chats is handed in: the ratings as they are, the comparison with a way back to it, and the comment.

import { asked, keyOf, spoken } from "../logic.js";
import { Screen } from "../parts/Screen.jsx";
import { useTexts } from "../texts.js";
import { Comment } from "../work/Comment.jsx";
import { isChat, partnerOf } from "./logic.js";

export function Review({ survey, items, item, answers, work, actions, busy, onSubmit }) {
  const t = useTexts();
  const submit = (event) => {
    event.preventDefault();
    if (!busy) onSubmit();
  };
  return (
    <Screen title={t("overview_title")} className="overview">
      <p>{t("chat_review_intro")}</p>
      <ol className="cards">
        {items.filter(isChat).map((one) => (
          <Card key={one.item} title={partnerOf(one)} state={t("chat_handed_in")} rows={rated(survey, one)} />
        ))}
        <Card title={t("chat_compare_short")} state={t("overview_complete")} rows={chosen(survey, item, answers)}>
          <button
            type="button"
            aria-label={t("chat_change")}
            onClick={() => actions.go({ item: item.item, step: 0 })}
          >
            {t("overview_change")}
          </button>
        </Card>
      </ol>
      <form onSubmit={submit}>
        <Comment {...{ survey, work, actions }} />
        <div className="actions">
          <button type="submit" className="primary" disabled={busy}>
            {busy ? t("handing_in") : t("hand_in")}
          </button>
        </div>
      </form>
    </Screen>
  );
}

// [what is asked, the answer in words], in the order in which they were asked.
function rated(survey, item) {
  return asked(survey, item, {}).map(({ question }) => [
    question.heading || question.name,
    spoken(question, item.rated?.[question.name], item),
  ]);
}

function chosen(survey, item, answers) {
  return asked(survey, item, answers).map(({ question, target }) => [
    question.heading || question.name,
    spoken(question, answers[keyOf(question.name, target)]?.answer, item),
  ]);
}

function Card({ title, state, rows, children }) {
  const t = useTexts();
  return (
    <li className="card">
      <div className="card-top">
        <h2 dir="auto">
          {title}
          <span className="state">{state}</span>
        </h2>
        {children}
      </div>
      <dl className="answers">
        {rows.map(([name, said]) => (
          <div key={name}>
            <dt dir="auto">{name}</dt>
            <dd dir="auto">{said ?? t("answer_missing")}</dd>
          </div>
        ))}
      </dl>
    </li>
  );
}
