// Surveys and items in the shape in which the server sends them.

export function question(name, kind, targets, more = {}) {
  const options = { choice: ["yes", "no"], scale: ["1", "2", "3"], checkboxes: ["a", "b"], ranking: ["a", "b"] }[kind] ?? [];
  return {
    name,
    kind,
    targets,
    wording: `${name} of {entity}?`,
    options: options.map((value) => ({ value, label: value.toUpperCase(), definition: "" })),
    help: "",
    required: true,
    after: [],
    when: [],
    heading: "",
    shuffle: false,
    ...more,
  };
}

export const survey = (...questions) => ({ name: "some", questions, entities: ["Entity A", "Entity B"] });

export function item(questions, { turns = 2, layout = "dialogue", sides = ["right", "left"], more = {} } = {}) {
  const entities = sides.map((side, number) => ({ key: `entity:${number}`, name: `Entity ${"BA"[number]}`, side }));
  const said = Array.from({ length: turns }, (_, turn) => ({ entity: turn % 2, text: `turn ${turn}` }));
  const transcripts = [{ key: "conversation:0", name: "", entities, turns: said }];
  return { item: 3, layout, transcripts, questions, ...more };
}

export const answers = (pairs) =>
  Object.fromEntries(Object.entries(pairs).map(([key, answer]) => [key, { answer, seconds: 1.26, changes: 0 }]));
