// Giving the unit in hand back: always possible, at the foot of every screen of it, and asked once.

import { useState } from "react";
import { Dialog } from "../parts/Dialog.jsx";
import { useTexts } from "../texts.js";

export function GiveBack({ session, busy, step, onGiven }) {
  const t = useTexts();
  const [asking, setAsking] = useState(false);
  const giveBack = async () => {
    if (await step("POST", "return", { unit: session.unit.unit })) onGiven();
    setAsking(false);
  };
  const allowance = session.progress?.allowance ?? session.survey.limits.units_per_annotator;
  return (
    <div className="unit-foot">
      <button type="button" className="quiet" onClick={() => setAsking(true)}>
        {t("return")}
      </button>
      {asking && (
        <Dialog
          title={t("return_title")}
          onClose={() => setAsking(false)}
          actions={
            <>
              <button type="button" className="primary" onClick={() => setAsking(false)}>
                {t("return_keep")}
              </button>
              <button type="button" disabled={busy} onClick={giveBack}>
                {t("return_confirm")}
              </button>
            </>
          }
        >
          <p>{t("return_text", { allowance })}</p>
        </Dialog>
      )}
    </div>
  );
}
