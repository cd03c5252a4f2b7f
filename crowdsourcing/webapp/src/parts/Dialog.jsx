// A native modal dialog: it keeps the focus, closes with Escape, and gives the focus back.

import { useEffect, useId, useRef } from "react";
import { useTexts } from "../texts.js";

export function Dialog({ title, onClose, wide = false, actions, children }) {
  const t = useTexts();
  const ref = useRef(null);
  const label = useId();
  useEffect(() => {
    const before = document.activeElement;
    ref.current.showModal();
    if (wide) ref.current.querySelector(".dialog-body").focus(); // something to read, by the arrow keys too
    return () => before?.focus?.();
  }, []);
  const cancel = (event) => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog ref={ref} aria-labelledby={label} className={wide ? "wide" : ""} onCancel={cancel}>
      <h1 id={label}>{title}</h1>
      <div className="dialog-body" tabIndex={wide ? 0 : undefined}>
        {children}
      </div>
      <div className="actions">
        {actions ?? (
          <button type="button" className="primary" onClick={onClose}>
            {t("close")}
          </button>
        )}
      </div>
    </dialog>
  );
}
