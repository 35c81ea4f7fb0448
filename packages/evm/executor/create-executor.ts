import { p256 } from '@noble/curves/nist.js';
import {
  type ChainConfig,
  type ForkName,
  listForkMembers,
  parseChainConfig,
} from '../../ethereum/codecs/chain-config.ts';
import { concatBytes } from '../../ethereum/primitives/bytes.ts';
import { recoverPublicKey } from '../../ethereum/primitives/recover-public-key.ts';
import { createCryptography } from '../cryptography/create-cryptography.ts';
import { PORTABLE_HASHES } from '../cryptography/hashes.ts';
import { createMclFactory } from '../cryptography/mcl-module.ts';
import type { CoreModule } from '../interpreter/core-module.ts';
import { Evm, HASH_SEED_BYTES } from '../interpreter/evm.ts';
import type { Cryptography } from '../interpreter/precompiles/cryptography.ts';
import { createPrecompiles } from '../interpreter/precompiles/precompiles.ts';
import { Executor } from './executor.ts';
import { LayeredState } from './layered-state.ts';
import type { StateSource } from './state-source.ts';

/** The `config` object of a genesis file. */
export type GenesisConfig = {
  readonly chainId: number;
  readonly fork?: undefined;
  readonly [member: string]: unknown;
};

export type ExecutorOptions = {
  readonly state: StateSource;
  /** The `config` object of a genesis file; or a chain id and the fork whose rules apply to every block. */
  readonly chain: GenesisConfig | { readonly chainId: number; readonly fork: ForkName };
  /** Bytes of mcl's WebAssembly module, from `loadPairing`. The precompiles of BN254, BLS12-381 and KZG need these bytes. */
  readonly pairing?: Uint8Array;
  /** Maximum memory of one execution, bytes; default 256 MiB. */
  readonly memoryLimit?: number;
};

const MEMORY_LIMIT: number = 256 << 20;

const { crypto } = globalThis as unknown as {
  readonly crypto: { getRandomValues(bytes: Uint8Array): Uint8Array };
};

/**
 * Creates an executor with its own EVM.
 * @param core the interpreter core's compiled module, which executors may share
 * @throws RangeError that names the malformed member of `options.chain` or `options.state`
 */
export function createExecutorOn(core: CoreModule, options: ExecutorOptions): Executor {
  for (const name of ['getAccount', 'getStorage', 'getCode'] as const)
    if (typeof options.state?.[name] !== 'function') throw new RangeError(`state: ${name} is not a function`);
  const state = new LayeredState(options.state);
  const evm = new Evm(core, state, {
    memoryLimit: options.memoryLimit ?? MEMORY_LIMIT,
    precompiles: createPrecompiles(createPortableCryptography(options.pairing)),
    hashSeed: crypto.getRandomValues(new Uint8Array(HASH_SEED_BYTES)),
  });
  return new Executor(evm, state, toConfig(options.chain), recoverPublicKey);
}

function toConfig(chain: ExecutorOptions['chain']): ChainConfig {
  if (typeof chain !== 'object' || chain === null) throw new RangeError('chain: expected an object');
  if ('config' in chain) throw new RangeError('chain: pass the `config` object of the genesis file');
  if (chain.fork === undefined) return parseChainConfig(chain);
  const { chainId, fork } = chain;
  const isMerged = 'shanghaiTime' in listForkMembers(fork) || fork === 'paris';
  return parseChainConfig({
    chainId,
    eip155Block: 0,
    ...listForkMembers(fork),
    ...(isMerged && { terminalTotalDifficulty: 0 }),
  });
}

/** Creates cryptography that needs only JavaScript and WebAssembly and therefore runs on every host. */
function createPortableCryptography(pairing: Uint8Array | undefined): Cryptography {
  return createCryptography({
    hashes: PORTABLE_HASHES,
    createRecovery: () => recoverPublicKey,
    createP256Verifier: () => verifyP256,
    mcl: createMclFactory(() => {
      if (pairing !== undefined) return pairing;
      throw new Error(
        'a precompile needs pairings: install mcl-wasm and set `pairing` to `await loadPairing()`',
      );
    }),
  });
}

const verifyP256: Cryptography['verifyP256'] = (hash, signature, publicKey) => {
  try {
    const key = concatBytes(Uint8Array.of(4), publicKey);
    return p256.verify(signature, hash, key, { prehash: false, lowS: false });
  } catch {
    // The public key is not a point of the curve.
    return false;
  }
};
