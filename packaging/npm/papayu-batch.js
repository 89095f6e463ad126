#!/usr/bin/env node
// Runs the binary of this machine, with its standard streams, signals and exit code.
'use strict';

const { spawn } = require('node:child_process');
const { constants } = require('node:os');
const { join } = require('node:path');

const child = spawn(join(__dirname, 'bin', process.arch, 'papayu-batch'), process.argv.slice(2), { stdio: 'inherit' });
// The terminal sends SIGINT to both; the program ends its run in order, and this process waits for it.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal));
}
child.on('error', (error) => {
  console.error(`papayu-batch: cannot run the binary for ${process.platform}-${process.arch}: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
