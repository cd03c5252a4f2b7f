// A conversation as chat bubbles. Its text is data: React escapes it, and each turn is isolated from its neighbours,
// so that right-to-left marks stay within it.

import { useEffect, useId, useRef } from "react";
import { useTexts } from "../texts.js";

// `upTo`: the number of turns shown; `marked`: the turn that is asked about; `boxed`: long, in a box that scrolls by
// itself; `next`: the entity whose next turn is asked for; all optional. `level`: that of its heading.
export function Transcript({ transcript, upTo, marked = null, boxed = false, level = 2, next }) {
  const t = useTexts();
  const label = useId();
  const current = useRef(null);
  useEffect(() => {
    if (marked !== null) current.current?.scrollIntoView?.({ block: "nearest" });
  }, [marked]);
  // On a page just opened, after it has been scrolled to its top.
  useEffect(() => {
    const frame = requestAnimationFrame(() => current.current?.scrollIntoView?.({ block: "center" }));
    return () => cancelAnimationFrame(frame);
  }, []);
  const turns = transcript.turns.slice(0, upTo);
  const Heading = `h${level}`;
  const Part = level > 2 ? "div" : "section"; // a landmark only where it is what the page is about
  return (
    <Part
      className={`transcript ${boxed ? "boxed" : ""}`}
      role={level > 2 ? "group" : undefined}
      aria-labelledby={label}
      tabIndex={boxed ? 0 : undefined}
    >
      <Heading id={label} dir="auto" className={transcript.name ? "name" : "unseen"}>
        {transcript.name || t("transcript")}
        {transcript.speaker && transcript.speaker !== transcript.name && (
          <span className="speaker"> {transcript.speaker}</span>
        )}
      </Heading>
      <ol>
        {turns.map((turn, number) => (
          <Turn
            key={number}
            turn={turn}
            entity={transcript.entities.find((one) => one.key === `entity:${turn.entity}`)}
            marked={number === marked}
            place={number === marked ? current : undefined}
          />
        ))}
        {next && (
          <li className={`turn next ${next.side === "right" ? "right" : "left"}`}>
            <span className="who" aria-hidden="true">
              {next.name}
            </span>
            <p className="bubble" dir="auto">
              {t("candidates_next", { entity: next.name })}
            </p>
          </li>
        )}
      </ol>
    </Part>
  );
}

export function Turn({ turn, entity, marked = false, place, children }) {
  const t = useTexts();
  const side = entity.side === "right" ? "right" : "left";
  const role = entity.judged === undefined ? "" : entity.judged ? "judged" : "grey";
  return (
    <li ref={place} className={`turn ${side} ${role} ${marked ? "marked" : ""}`} aria-current={marked ? "true" : undefined}>
      <span className="who" aria-hidden="true">
        {entity.name}
      </span>
      <span className="unseen">
        {t("says", { entity: entity.name })} {marked ? t("turn_asked") : ""}
      </span>
      <p className="bubble" dir="auto">
        {turn.text}
      </p>
      {children}
    </li>
  );
}
