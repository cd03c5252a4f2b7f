// One option of several: native radio buttons, in a row where the labels are short.

import { labelOf, ofCandidates, optionsOf } from "../logic.js";
import { useTexts } from "../texts.js";
import { OptionText } from "./OptionText.jsx";
import { Swatch } from "./Swatch.jsx";

export function Choice({ question, item, name, answer, barred, explained, onAnswer }) {
  const t = useTexts();
  const options = optionsOf(question, item);
  const labels = options.map((option) => labelOf(option, item));
  const row = !ofCandidates(question) && inRow(labels);
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
              data-key={keyAt(place)}
              onChange={() => onAnswer(option.value)}
            />
            {keyAt(place) !== undefined && <kbd aria-hidden="true">{keyAt(place)}</kbd>}
            <Swatch target={option.value} item={item} />
            <OptionText label={labels[place]} definition={row ? "" : option.definition} />
            {question.other_than && barred.includes(option.value) && <span className="tag">{t("taken_before")}</span>}
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
      {row && defined && explained && <Definitions options={options} labels={labels} />}
    </>
  );
}

// The tenth option answers to the key 0.
const keyAt = (place) => (place < 9 ? place + 1 : place === 9 ? 0 : undefined);

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
