// The page's own words: English is built in, the server's dictionary goes before it.

import { createContext, useContext } from "react";
import english from "./texts.en.json";

export function translator(texts = {}) {
  return (key, values = {}) => {
    const text = typeof texts[key] === "string" ? texts[key] : english[key];
    return fill(text ?? key, values);
  };
}

// Replaces {name}; a value is never looked at for further names.
export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

export const Texts = createContext(translator());
export const useTexts = () => useContext(Texts);
