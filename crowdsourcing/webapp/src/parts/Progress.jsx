// A bar with its text: how much of the unit, or of the allowance, is done.

import { useId } from "react";

export function Progress({ text, done, total, className }) {
  const label = useId();
  return (
    <div className="progress">
      <span id={label} className={className}>
        {text}
      </span>
      <progress aria-labelledby={label} value={done} max={Math.max(total, 1)} />
    </div>
  );
}
