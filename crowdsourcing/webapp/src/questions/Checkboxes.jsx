// Any number of options. That none applies is said by a box of its own, so that leaving the question out and answering
// "none" are told apart.

import { labelOf, optionsOf } from "../logic.js";
import { useTexts } from "../texts.js";

const NONE = ["none", "none_of_these"];

export function Checkboxes({ question, item, name, answer, onAnswer }) {
  const t = useTexts();
  const options = optionsOf(question, item);
  const ticked = answer ?? [];
  const toggle = (value) => {
    const next = ticked.includes(value) ? ticked.filter((one) => one !== value) : [...ticked, value];
    onAnswer(next.length > 0 ? next : null);
  };
  const ownNone = options.some((option) => NONE.includes(option.value));
  return (
    <div className="options">
      {options.map((option, place) => (
        <Box
          key={option.value}
          {...{ name, place }}
          value={option.value}
          checked={ticked.includes(option.value)}
          onChange={() => toggle(option.value)}
        >
          {labelOf(option, item)}
          {option.definition && <span className="definition">{option.definition}</span>}
        </Box>
      ))}
      {!ownNone && (
        <Box
          {...{ name }}
          place={options.length}
          value=""
          checked={answer?.length === 0}
          onChange={() => onAnswer(answer?.length === 0 ? null : [])}
        >
          {t("none_of_these")}
        </Box>
      )}
    </div>
  );
}

function Box({ name, value, place, checked, onChange, children }) {
  return (
    <label className="option">
      <input
        type="checkbox"
        name={name}
        value={value}
        checked={checked}
        data-key={place < 9 ? place + 1 : undefined}
        onChange={onChange}
      />
      {place < 9 && <kbd aria-hidden="true">{place + 1}</kbd>}
      <span className="text" dir="auto">
        {children}
      </span>
    </label>
  );
}
