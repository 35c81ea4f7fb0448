#!/usr/bin/env node
import { readFileSync } from 'node:fs';

// An old node must be able to read this file: nothing of ours is imported before its version is known, and the syntax is of 2018.
// `scripts/check-node.cjs` is the same for what npm runs before anything is built.

/** What `engines` in the package asks for: `>=20.19`. */
function readMinimum(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')).engines.node.replace('>=', '');
}

/** Major and minor version as one number. */
function rank(version: string): number {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major * 1_000 + minor;
}

const minimum = readMinimum();
if (rank(process.versions.node) < rank(minimum)) {
  process.stderr.write(`portcullis: needs Node ${minimum} or later, and this is ${process.versions.node}\n`);
  process.exitCode = 1;
} else {
  import('./run-command.ts').then(
    ({ runCommand }) => runCommand(process.argv.slice(2)),
    (error) => {
      const isOutOfFiles = error.code === 'EMFILE' || error.code === 'ENFILE';
      const reason = isOutOfFiles
        ? 'too many open files: raise the limit (ulimit -n, LimitNOFILE)'
        : error.message;
      process.stderr.write(`portcullis: ${reason}\n`);
      process.exitCode = 1;
    },
  );
}
