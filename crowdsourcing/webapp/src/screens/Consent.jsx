// What is kept, what is paid, how to withdraw. The preview of a platform shows the same, and nothing to agree to.

import { Instructions } from "./Instructions.jsx";
import { Paragraphs, Screen } from "../parts/Screen.jsx";
import { useTexts } from "../texts.js";

export function Consent({ session, step, busy, preview = false }) {
  const t = useTexts();
  const paragraphs = (session.consent ?? []).map((text, number) => <Paragraphs key={number} text={text} />);
  if (preview) {
    return (
      <Screen title={t("preview_title")} className="reading">
        <p className="note">{t("preview")}</p>
        {paragraphs}
        <h2>{t("instructions_title")}</h2>
        <Instructions survey={session.survey} />
      </Screen>
    );
  }
  return (
    <Screen title={t("consent_title")} className="reading">
      {paragraphs}
      <p className="soft">{t("consent_decline")}</p>
      <div className="actions">
        <button
          type="button"
          className="primary"
          disabled={busy}
          onClick={() => step("POST", "consent", { agree: true })}
        >
          {t("consent_agree")}
        </button>
      </div>
    </Screen>
  );
}
