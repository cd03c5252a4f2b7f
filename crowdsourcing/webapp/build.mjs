// Builds the page into build/: one script and one style sheet with their checksums in their names, and index.html.

import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "build");

const options = {
  entryPoints: { page: join(here, "src/main.jsx") },
  bundle: true,
  minify: true,
  write: false,
  outdir: out,
  format: "iife",
  target: ["es2021", "chrome103", "firefox102", "safari16"],
  jsx: "automatic",
  define: { "process.env.NODE_ENV": '"production"' },
  legalComments: "none",
  logLevel: "warning",
};

async function build() {
  const { outputFiles } = await esbuild.build(options);
  const assets = outputFiles.map(({ path, contents }) => {
    const ending = path.slice(path.lastIndexOf("."));
    const hash = createHash("sha256").update(contents).digest("hex").slice(0, 12);
    return { ending, name: `page-${hash}${ending}`, contents };
  });
  const named = (ending) => assets.find((asset) => asset.ending === ending).name;
  const template = await readFile(join(here, "src/index.html"), "utf8");
  const page = template.replace("{style}", named(".css")).replace("{script}", named(".js"));
  await rm(out, { recursive: true, force: true });
  await mkdir(join(out, "assets"), { recursive: true });
  for (const { name, contents } of assets) await writeFile(join(out, "assets", name), contents);
  await writeFile(join(out, "LICENSES.txt"), await licenses());
  await writeFile(join(out, "index.html"), page);
  for (const { name, contents } of assets) console.log(`build/assets/${name}  ${Math.ceil(contents.length / 1024)} kB`);
}

// The licences of what the script contains, which have to go with it.
async function licenses() {
  const parts = ["react", "react-dom", "scheduler"].map(async (name) => {
    const text = await readFile(join(here, "node_modules", name, "LICENSE"), "utf8");
    return `${name}\n\n${text}`;
  });
  return (await Promise.all(parts)).join("\n\n");
}

await build();
