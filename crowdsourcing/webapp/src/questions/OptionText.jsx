// The text of an option: its label, and its definition where there is one.
export function OptionText({ label, definition }) {
  return (
    <span className="text" dir="auto">
      {label}
      {definition && <span className="definition">{definition}</span>}
    </span>
  );
}
