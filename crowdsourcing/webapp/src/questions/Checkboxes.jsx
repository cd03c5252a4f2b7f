// Any number of options. Where none may apply, the survey has an option that says so: no box ticked is no answer.

import { labelOf, optionsOf } from "../logic.js";
import { OptionText } from "./OptionText.jsx";

export function Checkboxes({ question, item, name, answer, onAnswer }) {
  const ticked = answer ?? [];
  const toggle = (value) =>
    onAnswer(ticked.includes(value) ? ticked.filter((one) => one !== value) : [...ticked, value]);
  return (
    <div className="options">
      {optionsOf(question, item).map((option, place) => (
        <label key={option.value} className="option">
          <input
            type="checkbox"
            name={name}
            value={option.value}
            checked={ticked.includes(option.value)}
            data-key={place < 9 ? place + 1 : undefined}
            onChange={() => toggle(option.value)}
          />
          {place < 9 && <kbd aria-hidden="true">{place + 1}</kbd>}
          <OptionText label={labelOf(option, item)} definition={option.definition} />
        </label>
      ))}
    </div>
  );
}
