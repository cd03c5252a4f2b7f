// The number keys answer the question that has the focus, or the first that is not answered yet. A question takes part by
// giving its controls data-key="1" … "9", "0".

import { useEffect } from "react";

const TYPING = "textarea, input:not([type=radio]):not([type=checkbox]), select, [contenteditable]";

export function useNumberKeys(form) {
  useEffect(() => {
    const press = (event) => {
      if (!/^[0-9]$/.test(event.key) || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
      if (event.target.closest?.(TYPING) || document.querySelector("dialog[open]")) return;
      const group = current(form.current);
      const control = group?.querySelector(`[data-key="${event.key}"]`);
      if (!control || control.disabled) return;
      event.preventDefault();
      control.focus();
      control.click();
      // Right after the page shows the answer, and before any further key is heard.
      if (control.type === "radio" && !group.closest(".decision")) queueMicrotask(() => goOn(form.current, group));
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [form]);
}

const unanswered = (group) => group.dataset.answered !== "true";

function groupsOf(form) {
  return [...(form?.querySelectorAll("[data-question]") ?? [])];
}

function current(form) {
  const groups = groupsOf(form);
  return (
    groups.find((group) => group.contains(document.activeElement)) ?? groups.find(unanswered) ?? groups[groups.length - 1]
  );
}

// After a choice, the next question that is open gets the focus; after the last one it stays, and Enter goes on.
function goOn(form, group) {
  const groups = groupsOf(form);
  const next = groups.slice(groups.indexOf(group) + 1).find(unanswered);
  next?.querySelector("input, textarea, button:not(.timer button)")?.focus();
}
