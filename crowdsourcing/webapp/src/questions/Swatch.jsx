// A small bubble as the speaker's are, beside the speaker's name.

import { sideOf } from "../logic.js";

export function Swatch({ target, item }) {
  const side = sideOf(target, item);
  return side ? <span className={`swatch ${side}`} aria-hidden="true" /> : null;
}
