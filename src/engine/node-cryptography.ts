import { readFileSync } from 'node:fs';
import { createCryptography } from '../../packages/evm/cryptography/create-cryptography.ts';
import { createMclFactory, type MclFactory } from '../../packages/evm/cryptography/mcl-module.ts';
import { createP256Verifier } from '../../packages/evm/cryptography/p256.ts';
import type { Cryptography } from '../../packages/evm/interpreter/precompiles/cryptography.ts';
import { createRecovery } from './native-recovery.ts';
import { NODE_HASHES } from './node-hashes.ts';

/** Creates instances of the library mcl. The build writes its WebAssembly module beside this file (scripts/core/mcl-module). */
export const NODE_MCL: MclFactory = createMclFactory(() =>
  readFileSync(new URL('mcl.wasm', import.meta.url)),
);

/** Creates the cryptography of one thread from the fastest libraries that are available in Node. */
export function createNodeCryptography(): Cryptography {
  return createCryptography({
    hashes: NODE_HASHES,
    createRecovery: () => createRecovery(NODE_MCL),
    createP256Verifier: () => createP256Verifier(NODE_MCL),
    mcl: NODE_MCL,
  });
}

let ofThread: Cryptography | undefined;

/** Returns this thread's cryptography. */
export function getCryptography(): Cryptography {
  ofThread ??= createNodeCryptography();
  return ofThread;
}
