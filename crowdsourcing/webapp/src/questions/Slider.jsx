// A scale of many values as a slider. It has no answer before it is moved, pressed or confirmed by a key.

import { labelOf, optionsOf } from "../logic.js";
import { useTexts } from "../texts.js";

export function Slider({ question, item, name, label, answer, onAnswer }) {
  const t = useTexts();
  const options = optionsOf(question, item);
  const last = options.length - 1;
  const place = options.findIndex((option) => option.value === answer);
  const shown = place < 0 ? t("answer_missing") : labelOf(options[place], item);
  const choose = (event) => onAnswer(options[Number(event.target.value)].value);
  const confirm = (event) => [" ", "Enter"].includes(event.key) && place < 0 && (event.preventDefault(), choose(event));
  return (
    <div className="slider" data-unset={place < 0 || undefined}>
      <input
        type="range"
        name={name}
        min={0}
        max={last}
        value={place < 0 ? Math.floor(last / 2) : place}
        aria-label={label}
        aria-valuetext={shown}
        onChange={choose}
        onPointerUp={choose}
        onKeyDown={confirm}
      />
      <output>{shown}</output>
      <p className="ends" aria-hidden="true">
        {[options[0], options[last]].map((end) => (
          <span key={end.value} dir="auto">
            {[labelOf(end, item), end.definition].filter(Boolean).join(" – ")}
          </span>
        ))}
      </p>
    </div>
  );
}
