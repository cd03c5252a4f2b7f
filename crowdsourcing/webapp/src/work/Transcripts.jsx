// The transcripts of an item in its layout: one, several beside each other, or one that grows turn by turn. Chats are
// long: each has a box of its own.

import { Transcript } from "../parts/Transcript.jsx";

export function Transcripts({ item, turn, level }) {
  const growing = item.layout === "turn_by_turn" && turn !== null;
  return (
    <div className="transcripts">
      {item.transcripts.map((transcript) => (
        <Transcript
          key={transcript.key}
          transcript={transcript}
          upTo={growing ? turn + 1 : undefined}
          marked={growing ? turn : null}
          boxed={item.boxed}
          level={level}
        />
      ))}
    </div>
  );
}
