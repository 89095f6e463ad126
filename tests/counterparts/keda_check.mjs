// Judges the ScaledJobs of files by KEDA's own types. Prints what is wrong.
// usage: node keda_check.mjs FOLDER FILE…   where FOLDER holds the node_modules
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, ...files] = process.argv.slice(2);
const { parseAllDocuments } = createRequire(join(folder, "x.mjs"))("yaml");
const model = join(folder, "node_modules/@kubernetes-models/keda/keda.sh/v1alpha1/ScaledJob.js");
const { ScaledJob } = await import(pathToFileURL(model));

for (const file of files) {
  const found = parseAllDocuments(readFileSync(file, "utf8")).map((document) => document.toJS());
  for (const job of found.filter((value) => value.kind === "ScaledJob")) {
    try {
      new ScaledJob(job).validate();
    } catch (error) {
      console.log(`${file}: ${error.message}`);
    }
  }
}
