// Starts the mock of the model APIs (npm @copilotkit/aimock, installed in the current folder) on a free port.
// usage: node aimock.mjs FIXTURES.json REQUESTS.jsonl
// Prints `ready URL` when it listens and ends with its stdin. Each request's body is added to REQUESTS.jsonl
// as it came: the mock's own journal holds Anthropic's and Ollama's only in OpenAI's form.
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [, , fixtures, requests] = process.argv;

subscribe('http.server.request.start', ({ request }) => {
  if (request.method !== 'POST') return;
  const chunks = [];
  const emit = request.emit;
  // Listening for data would start the stream before the mock is ready to read it.
  request.emit = function (name, ...rest) {
    if (name === 'data') chunks.push(Buffer.from(rest[0]));
    if (name === 'end') keep(request, Buffer.concat(chunks).toString());
    return emit.call(this, name, ...rest);
  };
});

function keep({ url, headers }, body) {
  appendFileSync(requests, `${JSON.stringify({ path: url, headers, body: JSON.parse(body) })}\n`);
}

const { LLMock } = createRequire(join(process.cwd(), 'package.json'))('@copilotkit/aimock');
const mock = new LLMock({ port: 0, strict: true, logLevel: 'warn' });
mock.loadFixtureFile(fixtures);
await mock.start();
console.log(`ready ${mock.url}`);
process.stdin.on('end', () => process.exit(0)).resume();
