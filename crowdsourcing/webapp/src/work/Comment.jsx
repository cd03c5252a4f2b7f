// The comment on a whole unit, before it is handed in.

import { useTexts } from "../texts.js";

export function Comment({ survey, work, actions }) {
  const t = useTexts();
  return (
    <label className="comment">
      <span className="label">{t("comment_label")}</span>
      <span className="soft">{t("comment_help")}</span>
      <textarea
        dir="auto"
        rows={3}
        maxLength={survey.limits.comment_length}
        value={work.comment}
        onChange={(event) => actions.comment(event.target.value)}
      />
    </label>
  );
}
