// The page's own words: English is built in, the server's dictionary goes before it.

import { createContext, useContext } from "react";
import english from "./texts.en.json";

export function translator(texts = {}) {
  return (key, values = {}) => {
    const text = typeof texts[key] === "string" ? texts[key] : english[key];
    return fill(text ?? key, values);
  };
}

const ONE = /(^|[^\d.,])1 (minute|second|task|message|point|exercise|turn|character|conversation)s\b/g;

// Replaces {name}; a value is never looked at for further names. English says "1 minute", not "1 minutes".
export function fill(text, values) {
  const filled = text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
  return filled === text ? text : filled.replace(ONE, "$11 $2");
}

export const Texts = createContext(translator());
export const useTexts = () => useContext(Texts);
