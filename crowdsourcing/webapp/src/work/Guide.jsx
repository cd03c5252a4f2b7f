// What the labels of a task mean, with cases and examples: one click, or the key D, away while turns are annotated.

import { useEffect, useState } from "react";
import { Dialog } from "../parts/Dialog.jsx";
import { useTexts } from "../texts.js";

const TYPING = "textarea, input:not([type=radio]):not([type=checkbox]), select, [contenteditable]";
const KEYS = ["d", "D", "?"];

export const definitionsOf = (survey) => survey.tasks?.flatMap((task) => task.definitions ?? []) ?? [];

export function headingOf(survey, label) {
  return definitionsOf(survey).find((one) => one.label === label)?.heading ?? label;
}

export function Guide({ survey, said }) {
  const t = useTexts();
  const [open, setOpen] = useState(false);
  const definitions = definitionsOf(survey);
  const any = definitions.length > 0;
  useEffect(() => {
    const press = (event) => {
      if (!any || !KEYS.includes(event.key) || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
      if (event.target.closest?.(TYPING) || (!open && document.querySelector("dialog[open]"))) return;
      event.preventDefault();
      setOpen((now) => !now);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [any, open]);
  if (!any) return null;
  return (
    <>
      <button type="button" className="guide-button" aria-keyshortcuts="D" onClick={() => setOpen(true)}>
        {t("guide")} <kbd aria-hidden="true">D</kbd>
      </button>
      {open && (
        <Dialog title={t("guide")} onClose={() => setOpen(false)} wide>
          {said && (
            <section className="guide-turn">
              <h2>{t("guide_turn")}</h2>
              <p className="bubble" dir="auto">
                {said}
              </p>
            </section>
          )}
          <LabelDefinitions definitions={definitions} />
        </Dialog>
      )}
    </>
  );
}

export function LabelDefinitions({ definitions }) {
  const t = useTexts();
  return definitions.map(({ label, heading, short, counts, counts_not: not, examples }) => (
    <section key={label} className="guide-label">
      <h2 dir="auto">{heading}</h2>
      <p dir="auto">{short}</p>
      <Cases title={t("guide_counts")} cases={counts} />
      <Cases title={t("guide_counts_not")} cases={not} />
      {examples.length > 0 && <h3>{t("guide_examples")}</h3>}
      {examples.map((one, number) => (
        <figure key={number} className={one.label ? "instance yes" : "instance no"}>
          <p className="said" dir="auto">
            <span className="soft">{t("guide_before")}</span> {one.context}
          </p>
          <p className="said turn-said" dir="auto">
            <span className="soft">{t("guide_this")}</span> {one.turn}
          </p>
          <figcaption dir="auto">
            <strong>{t(one.label ? "guide_yes" : "guide_no", { label: heading })}</strong> {one.why}
          </figcaption>
        </figure>
      ))}
    </section>
  ));
}

function Cases({ title, cases }) {
  if (cases.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {cases.map((text, number) => (
          <li key={number} dir="auto">
            {text}
          </li>
        ))}
      </ul>
    </>
  );
}
