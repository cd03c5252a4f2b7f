// Browsing of all conversations: filters, search, order, pages; each conversation with its judgements, built when it is
// opened. Whatever was said is set as text, never as HTML. Without script the page says where conversations are.
(async () => {
  const source = document.getElementById("conversations");
  const reader = document.getElementById("reader");
  if (!source || !reader || !globalThis.DecompressionStream) return;
  const packed = Uint8Array.from(atob(source.textContent), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const data = JSON.parse(await new Response(unpacked).text());
  const PAGE = 20, LONG = 160, FOLDED = 1500;
  const WON = 1, LOST = 2, TIED = 3, LEVEL = { bot: 0, unsure: 1, human: 2 };
  const STEPS = 2; // ratings on a scale differ from two steps on: one step is a matter of taste
  const form = document.getElementById("filters");
  const list = document.getElementById("list");
  const pager = document.getElementById("pager");

  const make = (tag, name, ...inside) => {
    const found = document.createElement(tag);
    if (name) found.className = name;
    found.append(...inside);
    return found;
  };
  const plural = (n, one) => `${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;

  // What the rows of the data mean; see reader_data.py.
  const all = data.conversations.map(([id, entities, seed, turns, context, faults, failed, told], number) => ({
    id, entities, seed, turns, context, faults, failed, number,
    exchanges: Math.floor((turns.length - seed) / 2),
    told: told.map(([survey, from, who, exchanges, which, other, judged, said]) =>
      ({ survey, from, who, exchanges, which, other, judged, said })),
  }));
  const byId = new Map(all.map((c) => [c.id, c]));
  const said = data.said.map(([question, target, answer, label, closed]) => ({ question, target, answer, label, closed }));
  const name = (c, entity) => data.names[c.entities[entity]][0];
  const VERDICTS = new Set(["human", "bot", "unsure"]);
  const people = data.sources.findIndex(([, caution]) => !caution);

  // -- what is shown -------------------------------------------------------------------------------------------------
  const lower = (texts) => texts.map((text) => text.toLowerCase());
  let small = null; // the texts in lower case, made at the first search

  const matches = (words) => {
    small ??= { texts: lower(data.texts), names: lower(data.names.map(([n]) => n)), said: lower(said.map((s) => s.label)) };
    const has = (texts) => new Set(texts.flatMap((text, i) => (text.includes(words) ? [i] : [])));
    return { texts: has(small.texts), names: has(small.names), said: has(small.said) };
  };
  const holds = (c, found, words) =>
    c.turns.some((t) => found.texts.has(t)) || c.entities.some((e) => found.names.has(e)) ||
    c.id.toLowerCase().includes(words) || c.context.some((t) => found.texts.has(t)) ||
    c.told.some((a) => a.said.some((s) => found.said.has(s)));

  // The seats of a conversation that the choice of contestants means; none where it isn't theirs.
  const seats = (c, one, other) => {
    const fits = (mine, theirs) => (one === "" || c.entities[mine] === +one) && (other === "" || c.entities[theirs] === +other);
    return [...(fits(0, 1) ? [0] : []), ...(fits(1, 0) ? [1] : [])];
  };
  const called = (c, told, entity, verdict) =>
    told.some((a) => a.said.some((s) => said[s].target === `entity:${entity}` && said[s].answer === verdict && VERDICTS.has(said[s].answer)));
  // Of one conversation the more human entity wins, of two the one that more of the questions chose.
  const gap = (c, a, entity) => {
    const own = a.said.map((s) => said[s]);
    const [mine, theirs] = [entity, 1 - entity].map((e) => own.find((s) => s.target === `entity:${e}` && VERDICTS.has(s.answer)));
    if (mine && theirs && c.entities[0] !== c.entities[1]) return LEVEL[mine.answer] - LEVEL[theirs.answer];
    const pairs = own.filter((s) => s.target === "pair" && s.closed).map((s) => s.answer);
    const bots = new Set(c.entities.filter((e) => data.names[e][0] !== "people"));
    const owner = a.judged < 0 ? bots.size === 1 && bots.has(c.entities[entity]) : a.judged === entity;
    if (!pairs.length || !owner) return undefined;
    return 2 * pairs.filter((s) => s === `conversation:${a.which}`).length - pairs.filter((s) => s.startsWith("conversation:")).length;
  };
  const result = (c, told, entity) => {
    const count = [0, 0, 0, 0];
    for (const a of told) {
      const by = gap(c, a, entity);
      if (by !== undefined) count[by > 0 ? WON : by < 0 ? LOST : TIED] += 1;
    }
    if (!count[WON] && !count[LOST] && !count[TIED]) return 0;
    return count[WON] > count[LOST] ? WON : count[LOST] > count[WON] ? LOST : TIED;
  };

  // The percentage of questions answered by two people or more on which they disagree; -1 if none was.
  const differ = (given) => {
    const numbers = given.map(Number);
    return numbers.every(Number.isInteger) ? Math.max(...numbers) - Math.min(...numbers) >= STEPS : new Set(given).size > 1;
  };
  const apart = (c) => {
    if (c.apart !== undefined) return c.apart;
    const asked = new Map();
    for (const a of c.told.filter((own) => own.from === people)) {
      for (const s of a.said.map((number) => said[number]).filter((own) => own.closed)) {
        const key = [a.survey, a.which, a.other, a.judged, a.exchanges, s.target, s.question].join("\n");
        asked.set(key, [...(asked.get(key) ?? []), s.answer]);
      }
    }
    const twice = [...asked.values()].filter((given) => given.length > 1);
    c.apart = twice.length ? Math.round((100 * twice.filter(differ).length) / twice.length) : -1;
    return c.apart;
  };

  const chosen = () => {
    const want = Object.fromEntries(new FormData(form));
    const words = want.find.trim().toLowerCase();
    const found = words ? matches(words) : null;
    const fits = (c) => {
      const places = seats(c, want.one, want.other);
      if (!places.length) return false;
      if (want.least !== "" && c.exchanges < +want.least) return false;
      if (want.most !== "" && c.exchanges > +want.most) return false;
      if (want.apart === "people" && apart(c) <= 0) return false;
      if (want.apart === "none" && apart(c) !== 0) return false;
      if (want.fault === "any" && !c.faults.length) return false;
      if (want.fault === "none" && c.faults.length) return false;
      if (want.fault === "failed" && !c.failed.length) return false;
      if (/^\d+$/.test(want.fault) && !c.faults.some(([, kind]) => kind === +want.fault)) return false;
      if (want.source === "nobody") { if (c.told.length) return false; }
      const told = want.source === "" || want.source === "nobody" ? c.told : c.told.filter((a) => a.from === +want.source);
      const own = want.survey === "" ? told : told.filter((a) => a.survey === +want.survey);
      if (((want.source !== "" && want.source !== "nobody") || want.survey !== "") && !own.length) return false;
      if (want.verdict && !places.some((p) => called(c, own, p, want.verdict))) return false;
      if (want.result && !places.some((p) => result(c, own, p) === +want.result)) return false;
      return !found || holds(c, found, words);
    };
    const kept = all.filter(fits);
    const by = { apart: (c) => -apart(c), judged: (c) => -c.told.length, long: (c) => -c.exchanges, short: (c) => c.exchanges }[want.order];
    return { found, words, kept: by ? kept.sort((a, b) => by(a) - by(b) || a.number - b.number) : kept };
  };

  // -- one conversation ----------------------------------------------------------------------------------------------
  const chip = (c, entity) => {
    const [text, css] = data.names[c.entities[entity]];
    const inner = make("bdi", "", text);
    return make("span", `chip ${css}`, inner);
  };
  const text = (value, words) => {
    const box = make("bdi", "text");
    box.dir = "auto";
    if (value.length <= 2 * FOLDED) box.append(...marked(value, words));
    else {
      const rest = value.slice(FOLDED), more = make("details", "more", make("summary", "", `${plural(rest.length, "more character")}`));
      more.append(...marked(rest, words));
      more.open = Boolean(words) && rest.toLowerCase().includes(words);
      box.append(...marked(value.slice(0, FOLDED), words), " …", more);
    }
    return box;
  };
  const marked = (value, words) => {
    if (!words) return [value];
    const folded = value.toLowerCase();
    if (folded.length !== value.length) return [value]; // places differ where a letter folds to two
    const parts = [];
    let from = 0;
    for (let at = folded.indexOf(words); at >= 0; at = folded.indexOf(words, from)) {
      parts.push(value.slice(from, at), make("mark", "", value.slice(at, at + words.length)));
      from = at + words.length;
    }
    return [...parts, value.slice(from)];
  };

  const bubble = (c, turn, words) => {
    const side = turn % 2, [who, css] = data.names[c.entities[side]];
    const box = make("div", `turn side${side} ${css}`, make("span", "who", make("bdi", "", who === "people" ? "person" : who)));
    box.append(text(data.texts[c.turns[turn]], words));
    const kinds = c.faults.filter(([place]) => place === turn - c.seed).map(([, kind]) => data.faults[kind]);
    if (kinds.length) box.append(make("span", "fault", kinds.join(", ")));
    return box;
  };

  const link = (c, label) => {
    const a = make("a", "", label);
    a.href = `#c-${encodeURIComponent(c.id)}`;
    return a;
  };

  // An answer that is an entity or a conversation is shown as such; all others by the survey's own words.
  const shown = (c, a, s) => {
    const [kind, place] = s.answer.split(":");
    if (kind === "entity" && (place === "0" || place === "1")) return chip(c, +place);
    if (kind !== "conversation" || !place) return make("b", "verdict", make("bdi", "", s.label));
    if (+place === a.which) return make("b", "verdict", "this conversation");
    return a.other < 0 ? "the other conversation" : link(all[a.other], `the other conversation (${all[a.other].id})`);
  };
  const asked = (c, s) => {
    const [kind, place] = s.target.split(":");
    if (kind === "entity") return [chip(c, +place), " "];
    if (kind === "turn") return [make("span", "asked", `turn ${+place + 1}: `)];
    return [];
  };

  const answers = (c, a) => {
    // Turn by turn, else question by question.
    const groups = new Map();
    for (const number of a.said) {
      const s = said[number], turn = s.target.startsWith("turn:");
      const key = turn ? s.target : s.question;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(s);
    }
    const rows = make("ul", "answers");
    for (const own of groups.values()) {
      const turn = own[0].target.startsWith("turn:");
      const row = make("li", "", make("span", "asked", turn ? `turn ${+own[0].target.slice(5) + 1}: ` : `${own[0].question}: `));
      own.forEach((s, i) => {
        const one = make("span", "one", ...(turn ? [make("span", "asked", `${s.question} `)] : asked(c, s)), shown(c, a, s));
        if (i < own.length - 1) one.append(turn ? " ·" : ",");
        row.append(one, " ");
      });
      rows.append(row);
    }
    return rows;
  };

  const beside = (c, exchanges) => {
    const box = make("div", "", make("p", "marker", `after ${plural(exchanges, "exchange")}`));
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", `Judgements after ${plural(exchanges, "exchange")}`);
    let last = "";
    for (const a of c.told.filter((own) => own.exchanges === exchanges)) {
      const [from, caution] = data.sources[a.from];
      const heading = data.surveys.length > 1 ? `${from} · ${data.surveys[a.survey]}` : from;
      if (heading !== last) {
        const line = make("p", "from", heading, " ");
        if (caution) line.append(make("span", "badge", caution));
        box.append(line);
        last = heading;
      }
      const by = make("p", "by");
      if (!from.endsWith(` ${data.annotators[a.who]}`)) by.append(make("bdi", "", data.annotators[a.who]));
      if (a.judged >= 0) by.append(" on ", chip(c, a.judged));
      box.append(make("div", "annotation", ...(by.hasChildNodes() ? [by] : []), answers(c, a)));
    }
    if (!last) box.append(make("p", "none", "not judged"));
    return box;
  };

  const body = (c, words) => {
    const box = make("div", "inside", make("p", "link", link(c, "Link to this conversation")));
    for (const number of c.failed) box.append(make("p", "failed", "In self-play this failed first: ", make("bdi", "", data.texts[number])));
    if (c.context.some((t) => t >= 0)) {
      const told = make("div", "context", make("p", "marker", "told beforehand, not shown to annotators"));
      c.context.forEach((t, entity) => t >= 0 && told.append(make("p", "", chip(c, entity), ": ", text(data.texts[t], words))));
      box.append(told);
    }
    if (c.seed) {
      const seed = make("div", "seed", make("p", "marker", "seed, not shown to annotators"));
      for (let t = 0; t < Math.min(c.seed, c.turns.length); t += 1) seed.append(bubble(c, t, words));
      box.append(seed);
    }
    const ends = [...new Set(c.told.map((a) => a.exchanges))].filter((k) => k > 0).sort((a, b) => a - b);
    let from = c.seed;
    for (const k of ends.length ? ends : [c.exchanges]) {
      const turns = make("div", "turns");
      for (; from < c.seed + 2 * k; from += 1) turns.append(bubble(c, from, words));
      box.append(make("div", "block", turns, beside(c, k)));
    }
    if (from < c.turns.length) {
      const rest = make("div", "turns");
      for (; from < c.turns.length; from += 1) rest.append(bubble(c, from, words));
      rest.append(make("p", "marker", "after the longest segment: nobody was asked about these turns"));
      box.append(make("div", "block", rest));
    }
    return box;
  };

  const entry = (c, found, words) => {
    const head = make("summary", "", chip(c, 0), " ", make("span", "with", "with"), " ", chip(c, 1), " ", make("bdi", "id", c.id), " ");
    head.append(make("span", "about-it", `${plural(c.exchanges, "exchange")}, ${plural(c.told.length, "annotation")}`));
    const marks = [];
    if (apart(c) > 0) marks.push(`people disagree on ${apart(c)}%`);
    const kinds = [...new Set(c.faults.map(([, kind]) => data.faults[kind]))];
    for (const mark of [...marks, ...kinds, ...(c.failed.length ? ["failed first"] : [])]) head.append(" ", make("span", "mark", mark));
    const hit = found ? c.turns.find((t) => found.texts.has(t)) : undefined;
    if (hit !== undefined) {
      const whole = data.texts[hit], at = Math.max(0, whole.toLowerCase().indexOf(words) - LONG / 4);
      const cut = (at ? "… " : "") + whole.slice(at, at + LONG) + (whole.length > at + LONG ? " …" : "");
      const line = make("bdi", "found");
      line.append(...marked(cut, words));
      head.append(line);
    }
    const box = make("details", "example", head);
    box.id = `conversation-${c.id}`; // not what links name: the browser would take the focus away again
    box.addEventListener("toggle", () => { if (box.open && box.childElementCount === 1) box.append(body(c, words)); });
    return box;
  };

  // -- the list ------------------------------------------------------------------------------------------------------
  let now = null, page = 0;
  const draw = () => {
    const pages = Math.max(1, Math.ceil(now.kept.length / PAGE));
    page = Math.min(Math.max(page, 0), pages - 1);
    const shownNow = now.kept.slice(page * PAGE, (page + 1) * PAGE);
    list.replaceChildren(...shownNow.map((c) => entry(c, now.found, now.words)));
    const label = now.kept.length === all.length ? `All ${plural(all.length, "conversation")}` : `${now.kept.length.toLocaleString("en")} of ${plural(all.length, "conversation")}`;
    document.getElementById("count").textContent = label;
    pager.hidden = pages === 1;
    pager.querySelector("span").textContent = `page ${page + 1} of ${pages}`;
    pager.querySelector('[data-step="-1"]').disabled = page === 0;
    pager.querySelector('[data-step="1"]').disabled = page === pages - 1;
  };
  const update = () => { now = chosen(); page = 0; draw(); };

  // A pair: first a conversation that the one won, then one that it lost, both open; then all others.
  const goToPair = () => {
    const pair = location.hash.slice(6).split("/").map(decodeURIComponent).map((own) => data.names.findIndex(([label]) => label === own));
    if (pair.length !== 2 || pair.includes(-1)) return;
    for (const field of form.elements) field.value = "";
    [form.elements.one.value, form.elements.other.value] = pair;
    now = chosen();
    const first = [WON, LOST].flatMap((wanted) => now.kept.find((c) => seats(c, ...pair).some((seat) => result(c, c.told, seat) === wanted)) ?? []);
    now.kept = [...new Set([...first, ...now.kept])];
    page = 0;
    draw();
    if (first.length === 2) document.getElementById("count").append(`; first one that ${data.names[pair[0]][0]} won, then one that it lost`);
    list.querySelectorAll("details.example").forEach((box, i) => { box.open = i < first.length; });
    reader.scrollIntoView({ block: "start" });
    list.querySelector("summary")?.focus({ preventScroll: true });
  };

  const go = () => {
    if (location.hash.startsWith("#pair-")) goToPair();
    if (!location.hash.startsWith("#c-")) return;
    let id = location.hash.slice(3);
    try { id = decodeURIComponent(id); } catch { /* a link that somebody wrote by hand */ }
    const c = byId.get(id);
    if (!c) return;
    if (!now.kept.includes(c)) { form.reset(); now = chosen(); }
    page = Math.floor(now.kept.indexOf(c) / PAGE);
    draw();
    const box = document.getElementById(`conversation-${id}`);
    box.open = true;
    box.querySelector("summary").focus({ preventScroll: true });
    box.scrollIntoView({ block: "start" });
  };

  // -- once ----------------------------------------------------------------------------------------------------------
  const offer = (field, rows) => {
    for (const [value, label] of rows) form.elements[field].append(new Option(label, value));
  };
  const names = data.names.map(([label], i) => [i, label]);
  offer("one", names);
  offer("other", names);
  offer("source", [...data.sources.map(([label], i) => [i, label]), ["nobody", "nobody"]]);
  offer("survey", data.surveys.map((label, i) => [i, label]));
  form.elements.survey.parentElement.hidden = data.surveys.length < 2;
  const kinds = new Set(all.flatMap((c) => c.faults.map(([, kind]) => kind)));
  offer("fault", data.faults.map((label, i) => [i, label]).filter(([i]) => kinds.has(i)));

  form.addEventListener("input", update);
  form.addEventListener("reset", () => setTimeout(update));
  form.addEventListener("submit", (event) => event.preventDefault());
  pager.addEventListener("click", (event) => {
    const step = event.target.dataset.step;
    if (!step) return;
    page += +step;
    draw();
    document.getElementById("count").scrollIntoView({ block: "start" });
    list.querySelector("summary")?.focus({ preventScroll: true });
  });
  addEventListener("hashchange", go);
  reader.hidden = false;
  document.getElementById("unread").hidden = true;
  update();
  go();
})();
