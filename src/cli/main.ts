#!/usr/bin/env node
import { readFileSync } from 'node:fs';

// An old Node must be able to parse this file, so no own module is imported before the version is checked, and the syntax is that of 2018.
// `scripts/check-node.cjs` checks the version for scripts that npm runs before the build.

/** Returns the minimum Node version, from `engines` in package.json: `>=20.19`. */
function readMinimum(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')).engines.node.replace('>=', '');
}

/** Returns major and minor version as one number. */
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
