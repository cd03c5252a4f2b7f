// The instructions with the definitions and the example: a screen before the first task, a dialog at any time after.

import {
  exampleItem,
  keyOf,
  labelOf,
  named,
  nameOf,
  optionsOf,
  placeOfTurn,
  turnOf,
  wordingOf,
} from "../logic.js";
import { Paragraphs, Screen } from "../parts/Screen.jsx";
import { useTexts } from "../texts.js";
import { definitionsOf, LabelDefinitions } from "../work/Guide.jsx";
import { Transcripts } from "../work/Transcripts.jsx";

export function InstructionsScreen({ survey, onContinue }) {
  const t = useTexts();
  return (
    <Screen title={t("instructions_title")} className="reading instructions">
      <Instructions survey={survey} />
      <div className="actions">
        <button type="button" className="primary" onClick={onContinue}>
          {t("instructions_continue")}
        </button>
      </div>
    </Screen>
  );
}

export function Instructions({ survey }) {
  const t = useTexts();
  const definitions = definitionsOf(survey);
  return (
    <>
      <Paragraphs text={survey.instructions} />
      {definitions.length > 0 && <LabelDefinitions definitions={definitions} />}
      {survey.game && <p className="note">{t("game_rules", rulesOf(survey.game))}</p>}
      {survey.chat && (
        <p className="note">{t("chat_rules", { least: survey.chat.messages, most: survey.chat.most_messages })}</p>
      )}
      {survey.example && <Example survey={survey} />}
      <section className="keyboard">
        <h2>{t("keyboard_title")}</h2>
        <p>
          {survey.chat && t("keyboard_chat")} {t("keyboard_help")} {definitions.length > 0 && t("keyboard_guide")}
        </p>
      </section>
    </>
  );
}

// The game's numbers, or points, with real minus signs.
export function rulesOf(game) {
  return Object.fromEntries(Object.entries(game).map(([name, points]) => [name, String(points).replace("-", "−")]));
}

function Example({ survey }) {
  const t = useTexts();
  const { item, answers } = exampleItem(survey);
  return (
    <section className="example" aria-label={t("example_title")}>
      <h2>{t("example_title")}</h2>
      <div className={`layout-${item.layout}`}>
        <Transcripts item={item} turn={null} level={3} />
      </div>
      {item.candidates && (
        <>
          <h3>{t("example_candidates")}</h3>
          <ol className="candidates">
            {item.candidates.map(({ value, text }) => (
              <li key={value} dir="auto">
                {text}
              </li>
            ))}
          </ol>
        </>
      )}
      <h3>{t("example_answers")}</h3>
      <dl className="answers">
        {answers.map(({ question, target, accepted }) => (
          <div key={keyOf(question.name, target)}>
            <dt dir="auto">{wordingOf(question, target, item)}</dt>
            <dd dir="auto">{accepted.map((value) => inWords(question, value, item)).join(" / ")}</dd>
          </div>
        ))}
      </dl>
      <h3>{t("example_why")}</h3>
      <Paragraphs text={named(survey.example.explanation, item)} />
    </section>
  );
}

function inWords(question, value, item) {
  const option = optionsOf(question, item).find((one) => one.value === value);
  return option ? labelOf(option, item) : value;
}

// The text before an answer in an overview: the question's short name and its target.
export function shortName(question, target, item, t) {
  const turn = turnOf(target);
  const name = turn === null ? nameOf(target, item) : t("target_turn", placeOfTurn(item, turn));
  const heading = question.heading || (name ? "" : wordingOf(question, target, item));
  return [name, heading].filter(Boolean).join(": ");
}
