// Compares GraphQL documents and their variables with GitHub's published schema.
// usage, in the folder of node_modules: node graphql_check.mjs REQUESTS.json; prints each fault, and ends with 1 where
// there is one
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [, , requests] = process.argv;
const require = createRequire(pathToFileURL(`${process.cwd()}/`));
const { buildSchema, getOperationAST, getVariableValues, parse, validate } = require('graphql');
const text = readFileSync('node_modules/@octokit/graphql-schema/schema.graphql', 'utf8');

// The published text repeats two fields, which the documents do not use.
const schema = buildSchema(text, { assumeValidSDL: true, assumeValid: true });
let faults = 0;
for (const { query, variables } of JSON.parse(readFileSync(requests, 'utf8'))) {
  const document = parse(query);
  const operation = getOperationAST(document);
  const { errors: wrong = [] } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  for (const fault of [...validate(schema, document), ...wrong]) {
    console.log(`${fault.message}: ${query}`);
    faults += 1;
  }
}
process.exit(faults > 0 ? 1 : 0);
