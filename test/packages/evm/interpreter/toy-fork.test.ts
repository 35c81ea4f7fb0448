/** Adds a fictional instruction and fork to a copy of the sources, by the steps that CONTRIBUTING describes. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Transaction } from '../../../../packages/ethereum/codecs/transaction.ts';
import { EMPTY_BYTES } from '../../../../packages/ethereum/primitives/bytes.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import type { BlockEnvironment, MessageResult } from '../../../../packages/evm/interpreter/message.ts';
import { compileAssembly } from '../../../../scripts/core/compile.ts';
import { CORE_OPTIONS } from '../../../../scripts/core/core-sources.ts';
import { ROOT } from '../../../../scripts/program-files.ts';
import { getCryptography } from '../../../../src/engine/node-cryptography.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

/** Edits by file: the text to insert before, and the inserted text. */
const EDITS: Readonly<Record<string, readonly (readonly [before: string, added: string])[]>> = {
  'packages/evm/interpreter/opcodes.ts': [
    ["  [0x20, 'KECCAK256'", "  [0x1f, 'TRIPLE', 1, 1, 5, word('words/multiply')],\n"],
  ],
  'packages/evm/interpreter/core/words/multiply.ts': [
    ['export function mul(', 'export function triple(sp: usize): void {\n  mulBySmall(sp, 3);\n}\n'],
  ],
  'packages/evm/interpreter/revisions/revisions.ts': [
    ['] as const;', "  'toy',\n"],
    [
      '};\n\nfunction family',
      `  toy: {
    opcodes: 'TRIPLE',
    gas: { JUMPDEST: 7 },
    switches: { EIP3541: false },
    transactionGasCap: 1_000_000n,
    codeLimit: 2,
    intrinsic: { transaction: 20_000 },
  },
`,
    ],
  ],
  'packages/ethereum/codecs/chain-config.ts': [["  ['bpo1', 'bpo1Time'],", "  ['toy', 'toyTime'],\n"]],
};
/** Maximum number of files that a fork may change. */
const MOST_FILES = 6;

const ENTRY = `
export { rulesAt } from './packages/evm/transition/rules.ts';
export { validateGasCap } from './packages/evm/transition/validate-transaction.ts';
export { parseChainConfig } from './packages/ethereum/codecs/chain-config.ts';
export { compileCore } from './packages/evm/interpreter/core-module.ts';
export { Evm } from './packages/evm/interpreter/evm.ts';
export { WHOLE_SLICE } from './packages/evm/interpreter/slice.ts';
export { computeIntrinsicGas } from './packages/evm/interpreter/intrinsic-gas.ts';
export { createPrecompiles } from './packages/evm/interpreter/precompiles/precompiles.ts';
export { collectCoreSources } from './scripts/core/core-sources.ts';
`;

type Toy = typeof import('../../../../packages/evm/transition/rules.ts') &
  typeof import('../../../../packages/evm/transition/validate-transaction.ts') &
  typeof import('../../../../packages/ethereum/codecs/chain-config.ts') &
  typeof import('../../../../packages/evm/interpreter/core-module.ts') &
  typeof import('../../../../packages/evm/interpreter/evm.ts') &
  typeof import('../../../../packages/evm/interpreter/slice.ts') &
  typeof import('../../../../packages/evm/interpreter/intrinsic-gas.ts') &
  typeof import('../../../../packages/evm/interpreter/precompiles/precompiles.ts') &
  typeof import('../../../../scripts/core/core-sources.ts');

const TOY_TIME = 100n;
const BLOCKS = Object.fromEntries(
  'homestead eip150 eip155 eip158 byzantium constantinople petersburg istanbul berlin london'
    .split(' ')
    .map((name) => [`${name}Block`, 0]),
);
const CONFIG = {
  chainId: 1,
  terminalTotalDifficulty: 0,
  ...BLOCKS,
  ...{ shanghaiTime: 0, cancunTime: 0, pragueTime: 0, osakaTime: 0, toyTime: Number(TOY_TIME) },
};
const BLOCK: BlockEnvironment = {
  number: 1n,
  timestamp: 1n,
  beneficiary: new Uint8Array(20),
  gasLimit: 30_000_000n,
  difficulty: 0n,
  prevRandao: new Uint8Array(32),
  baseFeePerGas: 0n,
  blobBaseFee: 0n,
  getBlockHash: () => new Uint8Array(32),
};
const SENDER: Uint8Array = new Uint8Array(20).fill(1);
const PROGRAM: Uint8Array = new Uint8Array(20).fill(2);
/** Code that computes 7 TRIPLE at a jump destination and returns it. */
const CODE: Uint8Array = Uint8Array.of(0x5b, 0x60, 7, 0x1f, 0x5f, 0x52, 0x60, 32, 0x5f, 0xf3);

function edit(folder: string): void {
  for (const [file, edits] of Object.entries(EDITS)) {
    const path = join(folder, file);
    let text = readFileSync(path, 'utf8');
    for (const [before, added] of edits) {
      const at = text.indexOf(before);
      assert.ok(at >= 0, `${file} has ${before}`);
      text = text.slice(0, at) + added + text.slice(at);
    }
    writeFileSync(path, text);
  }
}

describe('a fictional fork', () => {
  const folder = makeTemporaryFolder();
  after(() => folder.remove());
  let toy: Toy;
  let run: (timestamp: bigint, code: Uint8Array, isCreation?: boolean) => MessageResult;

  before(async () => {
    for (const part of ['packages', 'scripts/core']) {
      cpSync(join(ROOT, part), join(folder.path, part), { recursive: true });
    }
    edit(folder.path);
    const outfile = join(folder.path, 'toy.mjs');
    await build({
      stdin: { contents: ENTRY, resolveDir: folder.path, loader: 'ts' },
      ...{ outfile, bundle: true, platform: 'node', format: 'esm', nodePaths: [join(ROOT, 'node_modules')] },
    });
    toy = (await import(pathToFileURL(outfile).href)) as Toy;
    const sources = toy.collectCoreSources(join(folder.path, 'packages/evm/interpreter/core'));
    const outputs = await compileAssembly(sources, 'index.ts', CORE_OPTIONS);
    const state = {
      getAccount: () => undefined,
      getStorage: () => EMPTY_BYTES,
      getCode: () => EMPTY_BYTES,
    };
    const evm = new toy.Evm(toy.compileCore(outputs.get('core.wasm') as Uint8Array), state, {
      memoryLimit: 1 << 20,
      precompiles: toy.createPrecompiles(getCryptography()),
      hashSeed: new Uint8Array(80),
    });
    const config = toy.parseChainConfig(CONFIG);
    run = (timestamp, code, isCreation = false) => {
      const { revision } = toy.rulesAt(config, { number: 1n, timestamp, isMerged: true });
      evm.enter({ ...BLOCK, timestamp }, 1n, revision);
      evm.open();
      evm.state.setCode(PROGRAM, keccak256(code), code);
      evm.state.setNonce(SENDER, 1n);
      evm.begin();
      evm.start({
        ...{ caller: SENDER, value: 0n, gasLimit: 1_000_000n, gasPrice: 0n },
        ...{ to: isCreation ? undefined : PROGRAM, data: isCreation ? code : EMPTY_BYTES },
        ...{ stateGas: 0n, blobVersionedHashes: [], accessList: [] },
      });
      while (!evm.advance(toy.WHOLE_SLICE));
      const result = evm.result();
      while (!evm.abandon());
      return result;
    };
  });

  it('changes only files that CONTRIBUTING.md names, and not too many', () => {
    const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
    const [section = ''] = text.slice(text.indexOf('## How to add a fork')).split('\n## ');
    const named = [...section.matchAll(/`(packages\/[^`]+)`/g)].map(([, path = '']) => path);
    const files = Object.keys(EDITS);
    assert.deepEqual(
      files.filter((file) => !named.some((path) => file === path || file.startsWith(`${path}/`))),
      [],
      'not named in CONTRIBUTING.md',
    );
    assert.ok(files.length <= MOST_FILES);
  });

  it('has its instruction and prices from its activation time on', () => {
    const earlier = run(TOY_TIME - 1n, CODE);
    assert.deepEqual([earlier.status, earlier.reason], ['halt', 'invalid opcode: TRIPLE']);
    const { status, output, gasUsed } = run(TOY_TIME, CODE);
    assert.deepEqual([status, output.at(-1)], ['success', 21]);
    // JUMPDEST, PUSH1, TRIPLE, PUSH0, MSTORE with one word of memory, PUSH1, PUSH0.
    assert.equal(gasUsed, 7n + 3n + 5n + 2n + 3n + 3n + 3n + 2n);
  });

  it('has its own switches and limits in the core', () => {
    /** Init code that deploys `bytes` bytes that begin with 0xef. */
    const deploy = (bytes: number): Uint8Array =>
      Uint8Array.of(0x60, 0xef, 0x5f, 0x53, 0x60, 0xef, 0x60, 1, 0x53, 0x60, bytes, 0x5f, 0xf3);
    assert.equal(run(TOY_TIME - 1n, deploy(1), true).reason, 'invalid code: must not begin with 0xef');
    assert.equal(run(TOY_TIME, deploy(2), true).status, 'success');
    assert.equal(run(TOY_TIME, deploy(3), true).reason, 'max code size exceeded: code size 3 limit 2');
  });

  it('has its own transaction rules', () => {
    const config = toy.parseChainConfig(CONFIG);
    const rulesAt = (timestamp: bigint): ReturnType<Toy['rulesAt']> =>
      toy.rulesAt(config, { number: 1n, timestamp, isMerged: true });
    const input = {
      data: { zero: 0, nonZero: 0 },
      ...{
        isCreation: false,
        isToSender: true,
        hasValue: false,
        accessedAddresses: 0,
        accessedStorageKeys: 0,
        authorizations: 0,
      },
    };
    assert.equal(toy.computeIntrinsicGas(input, rulesAt(TOY_TIME - 1n).revision), 21_000n);
    assert.equal(toy.computeIntrinsicGas(input, rulesAt(TOY_TIME).revision), 20_000n);
    const tx: Transaction = {
      type: 2,
      nonce: 0n,
      to: undefined,
      value: 0n,
      data: EMPTY_BYTES,
      gasLimit: 1_000_001n,
      chainId: 1n,
      maxFeePerGas: 0n,
      maxPriorityFeePerGas: 0n,
      maxFeePerBlobGas: 0n,
      accessList: [],
      blobVersionedHashes: [],
      authorizationList: [],
      v: 0n,
      encoded: EMPTY_BYTES,
      signature: { r: 1n, s: 1n, yParity: 0 },
    };
    toy.validateGasCap(tx, rulesAt(TOY_TIME - 1n).revision);
    assert.throws(
      () => toy.validateGasCap(tx, rulesAt(TOY_TIME).revision),
      /transaction gas limit too high \(cap: 1000000, tx: 1000001\)$/,
    );
  });
});
