// One option of several: native radio buttons, in a row where the labels are short.

import { labelOf, optionsOf } from "../logic.js";
import { useTexts } from "../texts.js";
import { OptionText } from "./OptionText.jsx";

export function Choice({ question, item, name, answer, barred, first, onAnswer }) {
  const options = optionsOf(question, item);
  const labels = options.map((option) => labelOf(option, item));
  const row = inRow(labels);
  const defined = options.some((option) => option.definition);
  return (
    <>
      <div className={row ? "options row" : "options"}>
        {options.map((option, place) => (
          <label key={option.value} className="option">
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={answer === option.value}
              disabled={barred.includes(option.value)}
              data-key={place < 9 ? place + 1 : undefined}
              onChange={() => onAnswer(option.value)}
            />
            {place < 9 && <kbd aria-hidden="true">{place + 1}</kbd>}
            <OptionText label={labels[place]} definition={row ? "" : option.definition} />
          </label>
        ))}
      </div>
      {row && defined && first && <Definitions options={options} labels={labels} />}
    </>
  );
}

function inRow(labels) {
  const longest = Math.max(...labels.map((label) => label.length));
  return labels.length <= 3 ? longest <= 16 : labels.length <= 7 && longest <= 3;
}

export function Definitions({ options, labels }) {
  const t = useTexts();
  return (
    <details className="definitions">
      <summary>{t("definitions")}</summary>
      <dl>
        {options.map(
          (option, place) =>
            option.definition && (
              <div key={option.value}>
                <dt dir="auto">{labels[place]}</dt>
                <dd dir="auto">{option.definition}</dd>
              </div>
            ),
        )}
      </dl>
    </details>
  );
}
