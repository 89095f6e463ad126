// Cuts a large OpenAPI description down to the operations that are called and all that they refer to.
// usage: node slice_openapi.mjs WHOLE.json OPERATIONS.txt SLICE.json
import { readFileSync, writeFileSync } from 'node:fs';

const [, , from, operations, to] = process.argv;
const whole = JSON.parse(readFileSync(from, 'utf8'));
const slice = { openapi: whole.openapi, info: whole.info, servers: whole.servers, paths: {}, components: {} };

for (const line of readFileSync(operations, 'utf8').split('\n').filter(Boolean)) {
  const [method, path] = line.split(' ');
  const operation = whole.paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`the description has no ${line}`);
  // Bitbucket's description has parameters that all methods of a path share.
  slice.paths[path] ??= whole.paths[path].parameters ? { parameters: whole.paths[path].parameters } : {};
  slice.paths[path][method.toLowerCase()] = operation;
  // Bitbucket's description says so in words only.
  for (const parameter of operation.parameters ?? []) {
    if (parameter.description?.includes('can be repeated')) parameter.schema = { type: 'array', items: parameter.schema };
  }
}

// The description is of REST only; documents of GraphQL are compared with its schema by graphql_check.mjs.
const anything = { 'application/json': { schema: { type: 'object' } } };
const document = { type: 'object', required: ['query', 'variables'], additionalProperties: false,
  properties: { query: { type: 'string' }, variables: { type: 'object' } } };
if (whole.info.title.includes('GitHub')) slice.paths['/graphql'] = { post: {
  requestBody: { required: true, content: { 'application/json': { schema: document } } },
  responses: { 200: { description: 'an answer', content: anything } },
} };

const open = [slice.paths];
while (open.length > 0) {
  for (const [key, value] of Object.entries(open.pop())) {
    if (key === '$ref' && typeof value === 'string') keep(value);
    else if (value && typeof value === 'object') open.push(value);
  }
}

function keep(reference) {
  const [, , kind, name] = reference.split('/').map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  slice.components[kind] ??= {};
  if (name in slice.components[kind]) return;
  const component = whole.components[kind][name];
  slice.components[kind][name] = component;
  open.push(component);
}

writeFileSync(to, JSON.stringify(slice));
