// Tabs over what stands behind the two screens, deep links into them, and what is chosen everywhere at once.
(() => {
  const bar = document.getElementById("tabs");
  if (!bar) return;
  const root = document.body;
  const links = [...bar.querySelectorAll("a")];
  const panelOf = (target) => target && target.closest(".panel");
  const panels = links.map((link) => panelOf(document.getElementById(decodeURIComponent(link.hash.slice(1)))));

  // -- tabs ----------------------------------------------------------------------------------------------------------
  bar.setAttribute("role", "tablist");
  links.forEach((link, i) => {
    link.id = `tab-${i}`;
    link.setAttribute("role", "tab");
    link.setAttribute("aria-controls", panels[i].id);
    panels[i].setAttribute("role", "tabpanel");
    panels[i].setAttribute("aria-labelledby", link.id);
  });
  const open = (panel) => {
    panels.forEach((own, i) => {
      own.hidden = own !== panel && !root.classList.contains("whole");
      links[i].setAttribute("aria-selected", String(own === panel));
      links[i].tabIndex = own === panel ? 0 : -1;
    });
  };
  const targetOf = (hash) => {
    let id = hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* a link that somebody wrote by hand */ }
    return id.startsWith("c-") ? document.getElementById("examples") : document.getElementById(id);
  };
  const follow = () => {
    const target = targetOf(location.hash), panel = panelOf(target);
    if (!panel) return;
    const before = panel.hidden;
    open(panel);
    if (before && !location.hash.startsWith("#c-")) target.scrollIntoView({ block: "start" });
  };
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
    const at = links.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    const next = Number.isFinite(step) ? (at + step + links.length) % links.length : step < 0 ? 0 : links.length - 1;
    open(panels[next]);
    links[next].focus();
  });
  links.forEach((link, i) => link.addEventListener("click", (event) => {
    event.preventDefault();
    history.pushState(null, "", link.hash);
    open(panels[i]);
    bar.scrollIntoView({ block: "start" });
  }));
  addEventListener("hashchange", follow);
  addEventListener("popstate", follow);

  // -- commands name the study's folder, where the page lies in it -----------------------------------------------------
  const place = location.protocol === "file:" && decodeURIComponent(location.pathname).match(/^(.*)\/report\/index\.html$/);
  if (place) {
    const folder = /^[\w@%+=:,./-]+$/.test(place[1]) ? place[1] : `'${place[1].replaceAll("'", "'\"'\"'")}'`;
    for (const code of document.querySelectorAll("code.command")) code.textContent = code.textContent.replace("--study DIR", `--study ${folder}`);
  }

  // -- everything, on the screen and on paper --------------------------------------------------------------------------
  const offers = document.getElementById("offers");
  const offer = (label, act) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.addEventListener("click", act);
    offers.append(button);
    return button;
  };
  const whole = offer("Show everything", () => {
    const now = root.classList.toggle("whole");
    whole.textContent = now ? "Show tabs" : "Show everything";
    open(panels.find((own, i) => links[i].getAttribute("aria-selected") === "true") || panels[0]);
  });
  offer("Print everything", () => {
    const was = root.classList.contains("whole");
    root.classList.add("whole");
    panels.forEach((own) => { own.hidden = false; });
    addEventListener("afterprint", () => { if (!was) { root.classList.remove("whole"); follow(); } }, { once: true });
    print();
  });

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
    tip.style.left = `${Math.max(0, Math.min(event.pageX, document.documentElement.scrollWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${event.pageY + 12}px`;
  });

  // -- whose answers ---------------------------------------------------------------------------------------------------
  const parts = [...document.querySelectorAll("[data-source]")];
  const sources = [...new Map(parts.map((part) => [part.dataset.source, part.querySelector("h3").firstChild.textContent.trim()]))];
  if (sources.length > 1) {
    bar.after(choices("Answers of", [["", "Everybody"], ...sources], (source) => {
      parts.forEach((part) => { part.hidden = source !== "" && part.dataset.source !== source; });
    }));
  }

  // -- one contestant, everywhere --------------------------------------------------------------------------------------
  // Whose colour isn't the chosen one's loses it, in tables, bars and figures alike.
  const css = (chip) => [...chip.classList].find((name) => /^bot\d+$/.test(name));
  const colours = [...new Set([...document.querySelectorAll(".chip")].map(css).filter(Boolean))];
  const named = (chip) => chip.textContent.trim();
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

  open(panelOf(targetOf(location.hash)) || panels[0]);
  if (panelOf(targetOf(location.hash))) follow();
})();
