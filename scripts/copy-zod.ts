/**
 * Copies zod to where the program loads it from, with one language of error messages instead of 64. Each of them is a module, and
 * all are loaded with the library whether they are used or not: 30 ms of every start.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The script runs as build/scripts/copy-zod.js. */
const FROM = fileURLToPath(new URL('../../node_modules/zod/', import.meta.url));
const TO = fileURLToPath(new URL('../src/vendor/zod/', import.meta.url));
const STAMP = `${TO}copied-from.json`;

const { version } = JSON.parse(readFileSync(`${FROM}package.json`, 'utf8')) as { version: string };

function readStamp(): string | undefined {
  try {
    return readFileSync(STAMP, 'utf8');
  } catch {
    return undefined;
  }
}

const stamp = JSON.stringify({ version });
if (readStamp() !== stamp) {
  rmSync(TO, { recursive: true, force: true });
  for (const folder of ['v4/classic', 'v4/core']) {
    cpSync(`${FROM}${folder}`, `${TO}${folder}`, {
      recursive: true,
      filter: (path) => !/\.(ts|cts|cjs)$/.test(path),
    });
  }
  cpSync(`${FROM}v4/locales/en.js`, `${TO}v4/locales/en.js`);
  writeFileSync(`${TO}v4/locales/index.js`, "export { default as en } from './en.js';\n");
  cpSync(`${FROM}LICENSE`, `${TO}LICENSE`);
  writeFileSync(`${TO}package.json`, '{"type":"module","sideEffects":false}\n');
  writeFileSync(STAMP, stamp);
}
