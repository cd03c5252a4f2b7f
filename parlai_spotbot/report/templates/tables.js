"use strict";
// Tables sort by a click on a heading and copy as CSV, LaTeX or Markdown. Without script they are plain tables.
(() => {
  const text = (cell) => cell.textContent.replace(/\s+/g, " ").trim();
  const order = new Intl.Collator("en", { numeric: true });

  // What a cell sorts by: its first number, else its text; "–" (not known) comes last in either direction.
  const key = (cell) => {
    const said = cell ? text(cell) : "";
    if (said === "" || said === "–") return null;
    const found = said.replace(/−/g, "-").match(/^[<>≈~]?\s*([+-]?(?:\d[\d,]*)?\.?\d+)(?![\w.]*[A-Za-z_])/);
    return found ? Number(found[1].replace(/,/g, "")) - (said[0] === "<" ? 1e-9 : 0) : said;
  };

  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a === typeof b) return order.compare(a, b);
    return typeof a === "number" ? -1 : 1;
  };

  // Rows that begin as the row above does.
  const group = (table) => [...table.tBodies[0].rows].forEach((row, place, rows) =>
    row.classList.toggle("again", place > 0 && text(row.cells[0]) === text(rows[place - 1].cells[0])));

  const sortBy = (table, column, heading) => {
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.querySelectorAll("[aria-sort]")) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...table.tBodies[0].rows].map((row) => [key(row.cells[column]), row]);
    rows.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null);
      return (down ? -1 : 1) * compare(a, b);
    });
    table.tBodies[0].append(...rows.map(([, row]) => row));
    group(table);
  };

  // Marks that turn or join text have no place in a file.
  const clean = (said) => said.replace(/[\u0000-\u001f\u007f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, "");
  const grid = (table) => [...table.rows].map((row) => [...row.cells].map((cell) => clean(text(cell))));

  // A minus is a hyphen to programs. What begins with = + - or @, also after a separator, is a formula to spreadsheets,
  // unless it is a number (as `cell` in files.py).
  const NUMBER = "[\\d.,%\\seE()+–-]{0,30}(?:to [\\d.,%\\seE()+–-]{0,30})?";
  const FORMULA = new RegExp(`(^|[,;|"])(?=[ \u00a0]*(?:[=@＝＠]|[+＋－-](?!${NUMBER}(?:$|[;|"])).))`, "g");
  const plain = (said) => said.replace(/−/g, "-").replace(FORMULA, "$1'");
  const csv = (said) => {
    const found = plain(said);
    return /[",\n\r]/.test(found) ? `"${found.replace(/"/g, '""')}"` : found;
  };

  const TEX = {
    "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "&": "\\&", "%": "\\%", "$": "\\$",
    "#": "\\#", "_": "\\_", "{": "\\{", "}": "\\}", "<": "$<$", ">": "$>$", "|": "$|$", "−": "$-$", "±": "$\\pm$",
    "×": "$\\times$", "≥": "$\\geq$", "≤": "$\\leq$", "≈": "$\\approx$", "≠": "$\\neq$", "∞": "$\\infty$", "·": "$\\cdot$",
    "→": "$\\to$", "χ": "$\\chi$", "α": "$\\alpha$", "β": "$\\beta$", "κ": "$\\kappa$", "μ": "$\\mu$", "ρ": "$\\rho$",
    "σ": "$\\sigma$", "τ": "$\\tau$", "²": "$^2$", "′": "$'$", "–": "--", "—": "---", "…": "\\ldots{}", "“": "``", "”": "''",
    "‘": "`", "’": "'", "›": "$>$", '"': "\\textquotedbl{}", "\u00a0": "~",
  };
  const tex = (said) => [...said].map((letter) => TEX[letter] ?? letter).join("");
  // A row that begins with [ or * would be read as belonging to the line break before it.
  const texRow = (row) => `${row.map(tex).join(" & ").replace(/^[[*]/, "{}$&")} \\\\`;
  // Numbers stand to the right, words to the left, and what is too long for a line in a paragraph of its own.
  const LONG = 40;
  const FIGURE = /^[<>≈~]?\s*[+−-]?[\d,]*\.?\d/;
  const texColumn = (cells, place) => {
    if (cells.some((said) => said.length > LONG)) return "p{0.35\\linewidth}";
    return place === 0 || cells.some((said) => said && said !== "–" && !FIGURE.test(said)) ? "l" : "r";
  };
  const markdown = (said) => said.replace(/[\\|<*_`]/g, "\\$&").replace(/\]\(/g, "]\\(");

  const formats = {
    CSV: (rows) => rows.map((row) => row.map(csv).join(",")).join("\n"),
    LaTeX: (rows) => {
      const columns = rows[0].map((_, place) => texColumn(rows.slice(1).map((row) => row[place]), place)).join("");
      return [
        `\\begin{tabular}{${columns}}`, "\\toprule", texRow(rows[0]), "\\midrule", ...rows.slice(1).map(texRow),
        "\\bottomrule", "\\end{tabular}",
      ].join("\n");
    },
    Markdown: (rows) => {
      const line = (row) => `| ${row.map(markdown).join(" | ")} |`;
      return [line(rows[0]), `|${rows[0].map(() => " --- |").join("")}`, ...rows.slice(1).map(line)].join("\n");
    },
  };
  const NEEDED = { LaTeX: ", which needs \\usepackage[T1]{fontenc} and \\usepackage{booktabs}" };

  const copy = async (content) => {
    try {
      await navigator.clipboard.writeText(content);
      return true;
    } catch {
      const area = document.createElement("textarea");
      area.value = content;
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  };

  // Buttons that copy: name -> what is copied; a reader of the screen hears what became of it.
  const toolbar = (before, entries, needed = {}) => {
    const bar = document.createElement("p");
    bar.className = "tools";
    bar.append(before);
    const said = document.createElement("span");
    said.setAttribute("role", "status");
    for (const [name, content] of entries) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.addEventListener("click", async () => {
        said.textContent = (await copy(content())) ? ` ${name} copied${needed[name] || ""}` : " the browser refused to copy";
      });
      bar.append(button, " ");
    }
    bar.append(said);
    return bar;
  };

  for (const table of document.querySelectorAll(".scroll > table")) {
    if (!table.tHead || table.tBodies[0].rows.length < 2) continue;
    group(table);
    [...table.tHead.rows[0].cells].forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...heading.childNodes);
      if (!text(button)) button.setAttribute("aria-label", "first column");
      heading.append(button);
      button.addEventListener("click", () => sortBy(table, column, heading));
    });
    const entries = Object.entries(formats).map(([name, write]) => [name, () => write(grid(table))]);
    table.parentElement.after(toolbar("Copy as ", entries, NEEDED));
  }
})();
