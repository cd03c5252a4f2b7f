// Sections that open one at a time, links into them, commands that name the study's folder, one contestant highlighted.
(() => {
  const root = document.body;
  const sections = [...document.querySelectorAll("details.section")];

  // -- a link into a section opens it; "#c-ID" is a conversation ---------------------------------------------------------
  const targetOf = (hash) => {
    let id = hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* a link that somebody wrote by hand */ }
    return document.getElementById(/^(c|pair)-/.test(id) ? "examples" : id);
  };
  const follow = () => {
    const target = targetOf(location.hash), section = target && target.closest("details.section");
    if (!section || section.open) return;
    section.open = true;
    if (!/^#(c|pair)-/.test(location.hash)) target.scrollIntoView({ block: "start" });
  };
  addEventListener("hashchange", follow);
  follow();

  // -- commands name the study's folder, where the page lies in it -----------------------------------------------------
  const place = location.protocol === "file:" && decodeURIComponent(location.pathname).match(/^(.*)\/report\/index\.html$/);
  if (place) {
    const folder = /^[\w@%+=:,./-]+$/.test(place[1]) ? place[1] : `'${place[1].replaceAll("'", "'\"'\"'")}'`;
    for (const code of document.querySelectorAll("code.command")) code.textContent = code.textContent.replace("--study DIR", `--study ${folder}`);
  }
  for (const code of document.querySelectorAll("code.command")) // lines end between words, not behind a hyphen
    code.replaceChildren(...code.textContent.split(" ").flatMap((word) => [Object.assign(document.createElement("span"), { textContent: word }), " "]).slice(0, -1));

  // -- all sections open, on the screen and on paper ---------------------------------------------------------------------
  const openAll = () => sections.forEach((own) => { own.removeAttribute("name"); own.open = true; });
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Open all sections";
  button.addEventListener("click", openAll);
  document.getElementById("offers")?.append(button);
  addEventListener("beforeprint", openAll);

  // -- from a pair to its conversations --------------------------------------------------------------------------------
  const readable = document.getElementById("conversations");
  const readLink = (pair, text) => Object.assign(document.createElement("a"), { href: `#pair-${pair}`, textContent: text });
  for (const row of readable ? document.querySelectorAll(".scroll tbody tr") : []) {
    const pair = [...row.cells].slice(0, 2).map((cell) => cell.querySelector(".chip"));
    if (!pair[0] || !pair[1]) continue;
    const names = pair.map((chip) => chip.textContent.trim());
    const link = readLink(names.map(encodeURIComponent).join("/"), ""); // its text is the style's: a copied table lacks it
    link.className = "read";
    link.setAttribute("aria-label", `Read conversations of ${names.join(" and ")}`);
    row.cells[1].append(link);
  }

  // -- figures of a mark that is tapped, as a browser shows them where it is pointed at -----------------------------------
  const tip = document.createElement("p");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("role", "status");
  document.body.append(tip);
  document.addEventListener("click", (event) => {
    const mark = event.target.closest?.("svg .told");
    tip.hidden = !mark;
    if (!mark) return;
    tip.textContent = mark.querySelector("title").textContent;
    if (mark.dataset.pair && readable) tip.append(" ", readLink(mark.dataset.pair, "Read conversations"));
    tip.style.left = `${Math.max(0, Math.min(event.pageX, document.documentElement.scrollWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${event.pageY + 12}px`;
  });

  // -- one contestant, everywhere --------------------------------------------------------------------------------------
  // Whose colour isn't the chosen one's loses it, in tables, bars and figures alike.
  const css = (chip) => [...chip.classList].find((name) => /^bot\d+$/.test(name));
  const colours = [...new Set([...document.querySelectorAll(".chip")].map(css).filter(Boolean))];
  const named = (chip) => chip.dataset.name || chip.textContent.trim();
  let chosen = "";
  const choose = (chip) => {
    chosen = chosen === named(chip) ? "" : named(chip);
    if (chosen) root.dataset.chosen = chosen; else delete root.dataset.chosen;
    for (const own of colours) {
      const property = `--${own}`;
      if (chosen && own !== css(chip)) root.style.setProperty(property, "var(--line)"); else root.style.removeProperty(property);
    }
    for (const own of document.querySelectorAll(".chip")) {
      own.classList.toggle("chosen", chosen !== "" && named(own) === chosen);
      if (own.getAttribute("role") === "button") own.setAttribute("aria-pressed", String(own.classList.contains("chosen")));
    }
  };
  for (const chip of document.querySelectorAll("header .standing .chip")) {
    chip.setAttribute("role", "button");
    chip.setAttribute("aria-pressed", "false");
    chip.tabIndex = 0;
    chip.title = "Highlight everywhere";
    chip.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose(chip);
    });
  }
  document.addEventListener("click", (event) => {
    const chip = event.target.closest("td .chip, th .chip");
    if (chip && css(chip)) choose(chip);
  });
})();
