"use strict";
// Tables sort by a click on a heading and copy as CSV, LaTeX or Markdown. Without script they are plain tables.
(() => {
  const text = (cell) => cell.textContent.replace(/\s+/g, " ").trim();

  // What a cell sorts by: its first number, else its text; "–" (not known) comes last in either direction.
  const key = (cell) => {
    const said = cell ? text(cell) : "";
    if (said === "" || said === "–") return null;
    const found = said.replace(/−/g, "-").match(/^[<>≈~]?\s*(-?(?:\d[\d,]*)?\.?\d+)/);
    return found ? Number(found[1].replace(/,/g, "")) - (said[0] === "<" ? 1e-9 : 0) : said.toLowerCase();
  };

  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === "number" ? -1 : 1;
  };

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
  };

  const grid = (table) => [...table.rows].map((row) => [...row.cells].map(text));

  const formats = {
    CSV: (rows) =>
      rows.map((row) => row.map((v) => (/[",\n]/.test(v) ? `"${v.replace(/"/g, '""')}"` : v)).join(",")).join("\n"),
    LaTeX: (rows) => {
      const special = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };
      const escape = (v) =>
        v
          .replace(/[\\~^]|[&%$#_{}]/g, (c) => special[c] || `\\${c}`)
          .replace(/[<>−±×≥≤]/g, (c) => ({ "<": "$<$", ">": "$>$", "−": "$-$", "±": "$\\pm$", "×": "$\\times$", "≥": "$\\geq$", "≤": "$\\leq$" })[c])
          .replace(/–/g, "--");
      const line = (row) => `${row.map(escape).join(" & ")} \\\\`;
      const columns = "l" + "r".repeat(Math.max(rows[0].length - 1, 0));
      return [
        `\\begin{tabular}{${columns}}`, "\\toprule", line(rows[0]), "\\midrule", ...rows.slice(1).map(line),
        "\\bottomrule", "\\end{tabular}",
      ].join("\n");
    },
    Markdown: (rows) => {
      const line = (row) => `| ${row.map((v) => v.replace(/\|/g, "\\|")).join(" | ")} |`;
      return [line(rows[0]), `|${rows[0].map(() => " --- |").join("")}`, ...rows.slice(1).map(line)].join("\n");
    },
  };

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

  const toolbar = (table) => {
    const bar = document.createElement("p");
    bar.className = "tools";
    bar.append("Copy as ");
    const said = document.createElement("span");
    said.setAttribute("role", "status");
    for (const [name, write] of Object.entries(formats)) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.addEventListener("click", async () => {
        said.textContent = (await copy(write(grid(table)))) ? ` ${name} copied` : " the browser refused to copy";
      });
      bar.append(button, " ");
    }
    bar.append(said);
    return bar;
  };

  for (const table of document.querySelectorAll(".scroll > table")) {
    if (!table.tHead || table.tBodies[0].rows.length < 2) continue;
    [...table.tHead.rows[0].cells].forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...heading.childNodes);
      if (!text(button)) button.setAttribute("aria-label", "first column");
      heading.append(button);
      button.addEventListener("click", () => sortBy(table, column, heading));
    });
    table.parentElement.after(toolbar(table));
  }
})();
