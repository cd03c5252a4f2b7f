// A unit in which one chats: with each partner in turn, rating each when the chat is over, then comparing them, and
// handing in. What stands is the server's word; the browser keeps what is not sent yet.

import { useCallback, useEffect, useRef, useState } from "react";
import { complete, itemAnswers } from "../logic.js";
import { Progress } from "../parts/Progress.jsx";
import { Loading } from "../screens/Notice.jsx";
import { besideOf } from "../store.js";
import { useTexts } from "../texts.js";
import { GiveBack } from "../work/GiveBack.jsx";
import { Item } from "../work/Item.jsx";
import { useWork } from "../work/useWork.js";
import { ChatRoom } from "./ChatRoom.jsx";
import { currentOf, isChat, newer, partnerOf, placeAt, progressOf, stageOf } from "./logic.js";
import { Review } from "./Review.jsx";

const EMPTY = { draft: "", pending: null };

export function ChatUnit({ session, ask, step, talk, receive, busy, stores }) {
  const t = useTexts();
  const { survey } = session;
  const { unit: handle } = session.unit;
  const [items, setItems] = useState(session.unit.items);
  useEffect(() => {
    setItems((known) => session.unit.items.map((fresh, place) => newer(known[place], fresh)));
  }, [session]);
  const { work, kept, actions } = useWork(stores.unit, handle, survey);
  const item = currentOf(items);
  const answers = work.answers[item.item] ?? {};
  const stage = stageOf(item, work.at, isChat(item) || complete(survey, item, answers));
  useEffect(() => {
    const at = placeAt(stage, item, work.at);
    if (at !== work.at) actions.go(at);
  }, [stage, item, work.at, actions]);
  const update = useCallback(
    (change) => setItems((now) => now.map((one) => (one.item === item.item ? change(one) : one))),
    [item.item],
  );
  const behind = item.step === "locked"; // the rating before was handed in elsewhere
  useEffect(() => {
    if (behind) step("GET", "session");
  }, [behind, step]);

  // Where the unit is over, what was kept of it goes, and nothing is kept any more.
  const over = useRef(false);
  const clear = () => {
    over.current = true;
    actions.clear();
  };
  const handIn = (one) => {
    const last = actions.latest();
    const given = last.answers[one.item] ?? {};
    return itemAnswers(survey, one, given, last.seconds[one.item] ?? 0, last.remarks[one.item] ?? "");
  };
  const rate = async () => {
    const answer = await ask("POST", "rate", { unit: handle, ...handIn(item) }, { over: clear });
    if (answer) receive(answer);
  };
  const submit = async () => {
    const { comment } = actions.latest();
    const body = { unit: handle, items: [handIn(item)], comment, texts_language: session.language ?? "en" };
    const answer = await ask("POST", "submit", body, { over: clear });
    if (!answer?.accepted) return;
    clear();
    receive(answer);
  };
  const leave = async () => {
    if (await step("POST", "leave", { unit: handle })) clear();
  };
  const chat = `chat:${item.item}`;
  const screens = {
    chat: () => (
      <ChatRoom
        key={item.item}
        {...{ survey, item, handle, update, busy }}
        talk={(path, body) => talk(path, body, { over: clear })}
        kept={{ ...EMPTY, ...besideOf(work, chat) }}
        keep={(changed) => over.current || actions.beside(chat, (now) => changed({ ...EMPTY, ...now }))}
        onFinish={() => actions.go({ item: item.item, step: 0 })}
        onLeave={leave}
      />
    ),
    rating: () => (
      <Answers
        {...{ survey, answers, work, actions, busy }}
        item={{ ...item, boxed: true }}
        title={t("chat_rate_title", { partner: partnerOf(item) })}
        intro={t("chat_rate_final")}
        onBack={() => actions.go({ item: null, step: 0 })}
        onDone={busy ? () => {} : rate}
        doneText={t("chat_rate")}
      />
    ),
    compare: () => (
      <Answers
        {...{ survey, answers, work, actions, busy }}
        item={{ ...item, boxed: true }}
        title={t("chat_compare_title")}
        onBack={null}
        onDone={() => actions.go("overview")}
        doneText={t("to_overview")}
      />
    ),
    review: () => <Review {...{ survey, items, item, answers, work, actions, busy }} onSubmit={submit} />,
  };
  return (
    <div className="unit">
      <Steps items={items} item={item} stage={stage} />
      {!kept && (
        <p className="message warning" role="status">
          {t("storage_failed")}
        </p>
      )}
      {behind ? <Loading /> : screens[stage]()}
      <GiveBack session={session} busy={busy} step={step} onGiven={clear} />
    </div>
  );
}

function Steps({ items, item, stage }) {
  const t = useTexts();
  const { number, total } = progressOf(items, stage);
  const text = { chat: "chat_step_chat", rating: "chat_step_rate" }[stage] ?? "chat_step_compare";
  const what = t(text, isChat(item) ? { partner: partnerOf(item) } : {});
  return (
    <div className="unit-top">
      <Progress text={t("chat_step", { number, total, what })} done={number - 1} total={total} />
    </div>
  );
}

// The questions beside the conversations that they are about.
const Answers = ({ work, ...more }) => (
  <Item key={more.item.item} {...more} at={work.at} remark={work.remarks[more.item.item] ?? ""} onOverview={null} />
);
