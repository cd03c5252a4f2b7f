// The page's own words: English is built in, the server's dictionary goes before it.

import { createContext, useContext } from "react";
import { fill } from "./logic.js";
import english from "./texts.en.json";

export function translator(texts = {}) {
  return (key, values = {}) => {
    const text = typeof texts[key] === "string" ? texts[key] : english[key];
    return fill(text ?? key, values);
  };
}

export const Texts = createContext(translator());
export const useTexts = () => useContext(Texts);
