// A text of the annotator's own.

import { useTexts } from "../texts.js";

export function FreeText({ name, label, answer, onAnswer, limits }) {
  const t = useTexts();
  const text = answer ?? "";
  const limit = limits.text_length;
  return (
    <div className="free-text">
      <textarea
        name={name}
        dir="auto"
        rows={3}
        aria-label={label}
        maxLength={limit}
        value={text}
        onChange={(event) => onAnswer(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.target.form.requestSubmit();
        }}
      />
      {text.length > limit * 0.8 && <p className="soft">{t("characters", { used: text.length, limit })}</p>}
    </div>
  );
}
