// One option of several: native radio buttons, in a row where the labels are short.

import { labelOf, optionsOf } from "../logic.js";
import { useTexts } from "../texts.js";
import { OptionText } from "./OptionText.jsx";

export function Choice({ question, item, name, answer, barred, first, onAnswer }) {
  const options = optionsOf(question, item);
  const labels = options.map((option) => labelOf(option, item));
  const row = inRow(labels);
  const ends = row && question.kind === "scale" && endsOf(options);
  const defined = !ends && options.some((option) => option.definition);
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
            {ends && option.definition && <span className="unseen">{option.definition}</span>}
          </label>
        ))}
      </div>
      {ends && (
        <p className="ends" aria-hidden="true">
          {ends.map((end, place) => (
            <span key={place} dir="auto">
              {end}
            </span>
          ))}
        </p>
      )}
      {row && defined && first && <Definitions options={options} labels={labels} />}
    </>
  );
}

// What the two ends of a scale stand for, where only they are named.
function endsOf(options) {
  const named = options.filter((option) => option.definition);
  const both = [options[0], options[options.length - 1]];
  return named.length === 2 && both.every((end) => end.definition) && both.map((end) => end.definition);
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
