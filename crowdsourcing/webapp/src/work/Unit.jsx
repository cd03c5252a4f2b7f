// A unit in hand: item by item, back and forth, then the overview, the comment, and handing in. Giving it back is
// always possible, and asks once.

import { useEffect, useState } from "react";
import { Progress } from "../parts/Progress.jsx";
import { complete, itemAnswers, withDecisions } from "../logic.js";
import { useTexts } from "../texts.js";
import { GiveBack } from "./GiveBack.jsx";
import { Item } from "./Item.jsx";
import { Overview } from "./Overview.jsx";
import { aboutOf, Questionnaire } from "./Questionnaire.jsx";
import { useWork } from "./useWork.js";

export function Unit({ session, ask, step, receive, busy, stores }) {
  const t = useTexts();
  const { survey } = session;
  const { unit: handle } = session.unit;
  const [items, setItems] = useState(session.unit.items);
  useEffect(() => setItems(session.unit.items), [session]);
  const { work, kept, actions } = useWork(stores.unit, handle, survey);
  const [reminded, setReminded] = useState(false);
  const answersOf = (item) => withDecisions(survey, item, work.answers[item.item] ?? {});
  const ready = items.map((item) => complete(survey, item, answersOf(item)));
  const allReady = ready.every(Boolean);
  const place = items.findIndex((item) => item.item === work.at.item);
  // The questionnaire comes once, between the last item and the overview.
  const about = session.unit.questionnaire ? aboutOf(survey, work) : null;
  const atAbout = about !== null && work.at === "questionnaire";
  const item = atAbout || typeof work.at === "string" ? null : items[Math.max(place, 0)];
  const toEnd = () => actions.go(about && !about.seen ? "questionnaire" : "overview");
  const endText = about && !about.seen ? t("continue") : t("to_overview");

  const submit = async () => {
    const last = actions.latest();
    const body = {
      unit: handle,
      items: items.map((one) => {
        const answers = withDecisions(survey, one, last.answers[one.item] ?? {});
        return itemAnswers(survey, one, answers, last.seconds[one.item] ?? 0, last.remarks[one.item] ?? "");
      }),
      ...(about ? { questionnaire: aboutOf(survey, last).answers } : {}),
      comment: last.comment,
      texts_language: session.language ?? "en",
    };
    const answer = await ask("POST", "submit", body, { over: actions.clear });
    if (!answer?.accepted) return;
    actions.clear();
    receive(answer);
  };
  // The game: what the server answers is the item as it stands now.
  const game = {
    open: async (one) => {
      const answer = await ask("POST", "open", { unit: handle, item: one.item, opened: one.opening.opened });
      if (answer) replace(answer.item);
      return Boolean(answer);
    },
    decide: async (one, question, target, answer, seconds) => {
      const body = { unit: handle, item: one.item, question: question.name, target, answer, seconds };
      const reply = await ask("POST", "decide", body);
      if (reply) replace(reply.item);
      return Boolean(reply);
    },
  };
  const replace = (next) => setItems((now) => now.map((one) => (one.item === next.item ? next : one)));
  const next = () => {
    const following = items[Math.max(place, 0) + 1];
    if (allReady || !following) toEnd();
    else actions.go({ item: following.item, step: 0 });
  };
  const backFrom = () => {
    const before = items[Math.max(place, 0) - 1];
    if (before) actions.go({ item: before.item, step: 0, last: true });
  };
  return (
    <div className="unit">
      <div className="unit-top">
        <Progress
          text={t("unit_progress", { done: ready.filter(Boolean).length, total: items.length })}
          done={ready.filter(Boolean).length}
          total={items.length}
        />
        {session.progress && (
          <p className="soft">{t("allowance_progress", session.progress)}</p>
        )}
      </div>
      {!kept && (
        <p className="message warning" role="status">
          {t("storage_failed")}
        </p>
      )}
      {item ? (
        <Item
          key={item.item}
          survey={survey}
          item={item}
          title={t(item.transcripts.length > 1 ? "pair_title" : "item_title", { number: items.indexOf(item) + 1, total: items.length })}
          answers={answersOf(item)}
          remark={work.remarks[item.item] ?? ""}
          at={work.at}
          actions={actions}
          game={game}
          busy={busy}
          onBack={items.indexOf(item) > 0 ? backFrom : null}
          onDone={next}
          onOverview={allReady ? toEnd : null}
          overviewText={endText}
          doneText={allReady || items.indexOf(item) === items.length - 1 ? endText : t(item.transcripts.length > 1 ? "pair_next" : "item_next")}
        />
      ) : atAbout ? (
        <Questionnaire
          {...{ survey, work, actions }}
          onBack={() => actions.go({ item: items[items.length - 1].item, step: 0, last: true })}
          onDone={() => actions.go("overview")}
        />
      ) : (
        <Overview
          about={about}
          survey={survey}
          items={items}
          answersOf={answersOf}
          ready={ready}
          work={work}
          actions={actions}
          busy={busy}
          reminded={reminded}
          onRemind={() => setReminded(true)}
          onSubmit={submit}
        />
      )}
      <GiveBack session={session} busy={busy} step={step} onGiven={actions.clear} />
    </div>
  );
}
