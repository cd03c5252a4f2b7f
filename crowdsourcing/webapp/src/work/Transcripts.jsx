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
          transcript={item.layout === "candidates" ? alike(transcript) : transcript}
          upTo={growing ? turn + 1 : undefined}
          marked={growing ? turn : null}
          boxed={item.boxed}
          next={item.layout === "candidates" ? nextOf(transcript) : undefined}
          level={level}
        />
      ))}
    </div>
  );
}

// Where it is asked who goes on, all that was said counts alike: nobody's turns step back.
const alike = (transcript) => ({
  ...transcript,
  entities: transcript.entities.map(({ key, name, side }) => ({ key, name, side })),
});

// Who says the next turn, where the item tells.
const nextOf = (transcript) => transcript.entities.find((entity) => entity.judged);
