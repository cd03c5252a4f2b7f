// A small bubble as the speaker's are, beside the speaker's name.

import { speakerOf } from "../logic.js";

export function Swatch({ target, item }) {
  const speaker = speakerOf(target, item);
  if (!speaker) return null;
  return <span className={`swatch ${speaker.side} ${speaker.judged ? "judged" : ""}`} aria-hidden="true" />;
}
