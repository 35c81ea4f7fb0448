/** Writes the built-in development chains into the folder `chains`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { generateChainFiles } from './chains/chain-files.ts';

/** The script runs as build/scripts/generate-chains.js. */
const CHAINS = new URL('../../chains/', import.meta.url);

for (const [path, content] of await generateChainFiles()) {
  const file = new URL(path, CHAINS);
  mkdirSync(new URL('.', file), { recursive: true });
  writeFileSync(file, content);
}
