// The chat with one partner: what was said, who writes, and below, always in view, the box, what is to know about the
// partner, and how many messages there are.

import { useRef } from "react";
import { Progress } from "../parts/Progress.jsx";
import { useFocusOn } from "../parts/Screen.jsx";
import { Turn } from "../parts/Transcript.jsx";
import { useTexts } from "../texts.js";
import { Composer } from "./Composer.jsx";
import { mayRate, noticeOf, partnerOf, turnsOf } from "./logic.js";
import { useChat } from "./useChat.js";
import { useEnd, useKeyboardInset } from "./useEnd.js";

export function ChatRoom({ survey, item, handle, talk, kept, keep, update, busy, onFinish, onLeave }) {
  const t = useTexts();
  const partner = partnerOf(item);
  const title = t("chat_title", { partner });
  const heading = useFocusOn(title);
  const room = useRef(null);
  const { say, pending } = useChat({ item, handle, talk, kept, keep, update });
  const turns = turnsOf(item);
  const own = pending !== null || turns[turns.length - 1]?.entity === 0;
  const { below, toEnd } = useEnd(room, turns.length + (pending ? 1 : 0), own);
  useKeyboardInset();
  const notice = noticeOf(item);
  const writes = item.chat.partner === "typing" && !pending;
  return (
    <article className="chat" ref={room}>
      <h1 ref={heading} tabIndex={-1} dir="auto">
        {title}
      </h1>
      <Log {...{ item, turns, pending, writes, partner, title }} />
      <div className="chat-bar">
        {below && (
          <button type="button" className="chat-below" onClick={toEnd}>
            {t("chat_new_below")} <span aria-hidden="true">↓</span>
          </button>
        )}
        <p role="status" className="unseen">
          {pending ? t("chat_sending") : writes ? t("chat_writing", { partner }) : ""}
        </p>
        <p role="status" className={CLASSES[notice] ?? "message warning"} data-notice={notice}>
          {notice ? t(`chat_${notice}`, { partner }) : ""}
        </p>
        {item.step === "chatting" && (
          <Composer
            {...{ item, partner, pending }}
            limit={survey.chat.message_length}
            draft={kept.draft}
            onDraft={(draft) => keep(() => ({ draft }))}
            onSay={(text) => {
              say(text);
              toEnd();
            }}
          />
        )}
        {item.step === "failed" ? (
          <button type="button" className="primary" disabled={busy} onClick={onLeave}>
            {t("chat_leave")}
          </button>
        ) : (
          <Counted {...{ item, pending, onFinish }} />
        )}
      </div>
    </article>
  );
}

const CLASSES = { enough: "soft", longest: "message" };

// The messages. Who is who is told to screen readers before each; new ones are read out by themselves.
function Log({ item, turns, pending, writes, partner, title }) {
  const t = useTexts();
  const [transcript] = item.transcripts;
  const entity = (number) => ({ ...transcript.entities.find((one) => one.key === `entity:${number}`), judged: undefined });
  const all = pending ? [...turns, { entity: 0, text: pending.text }] : turns;
  return (
    <div role="log" aria-label={title} className="chat-log transcript">
      {all.length === 0 && <p className="soft chat-begin">{t("chat_begin", { partner })}</p>}
      <ol>
        {all.map((turn, number) => (
          <Turn key={number} turn={turn} entity={entity(turn.entity)}>
            {pending && number === turns.length && <span className="turn-note">{t("chat_sending")}</span>}
          </Turn>
        ))}
      </ol>
      <p className={writes ? "chat-writing on" : "chat-writing"} aria-hidden="true">
        <span className="dots">
          <i />
          <i />
          <i />
        </span>
        {t("chat_writing", { partner })}
      </p>
    </div>
  );
}

function Counted({ item, pending, onFinish }) {
  const t = useTexts();
  const { messages, least } = item.chat;
  const enough = mayRate(item) && !pending;
  const over = item.step === "rating";
  return (
    <div className="chat-count">
      <Progress
        text={t(messages < least ? "chat_progress" : "chat_progress_more", item.chat)}
        done={Math.min(messages, least)}
        total={least}
      />
      <button type="button" className={over ? "primary" : ""} disabled={!enough} onClick={onFinish}>
        {t("chat_finish")}
      </button>
    </div>
  );
}
