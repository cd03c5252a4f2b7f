// All options in an order: choosing one puts it in the next place; what is placed can be moved or taken out again.
// Buttons only, so that it works with every pointer, keyboard and screen reader.

import { useRef, useState } from "react";
import { labelOf, optionsOf } from "../logic.js";
import { useTexts } from "../texts.js";
import { OptionText } from "./OptionText.jsx";

export function Ranking({ question, item, answer, onAnswer }) {
  const t = useTexts();
  const [said, setSaid] = useState("");
  const group = useRef(null);
  const options = optionsOf(question, item);
  const order = answer ?? [];
  const label = (value) => labelOf(options.find((option) => option.value === value), item);
  const left = options.filter((option) => !order.includes(option.value));
  const change = (next, value) => {
    onAnswer(next);
    const place = next.indexOf(value) + 1;
    setSaid(place ? t("ranking_place", { option: label(value), place }) : "");
    setTimeout(() => keepFocus(group.current, value));
  };
  const move = (value, by) => {
    const place = order.indexOf(value);
    const next = order.filter((one) => one !== value);
    next.splice(place + by, 0, value);
    change(next, value);
  };
  return (
    <div className="ranking-parts" ref={group}>
      {order.length > 0 && (
        <ol className="order" aria-label={t("ranking_order")}>
          {order.map((value, place) => (
            <li key={value} data-value={value}>
              <span className="text" dir="auto">
                {label(value)}
              </span>
              <Mover sign="↑" text={t("ranking_up", { option: label(value) })} off={place === 0} onClick={() => move(value, -1)} />
              <Mover
                sign="↓"
                text={t("ranking_down", { option: label(value) })}
                off={place === order.length - 1}
                onClick={() => move(value, 1)}
              />
              <Mover
                sign="×"
                text={t("ranking_remove", { option: label(value) })}
                onClick={() => change(order.filter((one) => one !== value), value)}
              />
            </li>
          ))}
        </ol>
      )}
      {left.length > 0 && (
        <div className="options" role="group" aria-label={t("ranking_left")}>
          {left.map((option) => {
            const key = options.indexOf(option) + 1;
            return (
              <button
                key={option.value}
                type="button"
                className="option"
                data-key={key <= 9 ? key : undefined}
                data-value={option.value}
                onClick={() => change([...order, option.value], option.value)}
              >
                {key <= 9 && <kbd aria-hidden="true">{key}</kbd>}
                <OptionText label={labelOf(option, item)} definition={option.definition} />
              </button>
            );
          })}
        </div>
      )}
      <p className="unseen" role="status">
        {said}
      </p>
    </div>
  );
}

function Mover({ sign, text, off = false, onClick }) {
  return (
    <button type="button" className="mover" aria-label={text} title={text} disabled={off} onClick={onClick}>
      <span aria-hidden="true">{sign}</span>
    </button>
  );
}

// The button that had the focus may be gone: the next one to place gets it, else the way on.
function keepFocus(group, value) {
  if (!group || (group.contains(document.activeElement) && !document.activeElement.disabled)) return;
  const own = group.querySelector(`[data-value="${CSS.escape(value)}"] button:not([disabled])`);
  const next = group.querySelector(".options button") ?? group.closest("form")?.querySelector(".actions .primary") ?? own;
  next?.focus();
}
