/** Slicing an execution, however finely, does not change its result. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { concatBytes, EMPTY_BYTES, padLeft } from '../../../packages/ethereum/primitives/bytes.ts';
import { LATEST_BLOCK, NO_GAS_LIMIT } from '../../../packages/ethereum/primitives/call-bytes.ts';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_CODE_HASH, keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import type { Evm } from '../../../packages/evm/interpreter/evm.ts';
import type { AccountState, StateChanges, StateReader } from '../../../packages/evm/interpreter/host.ts';
import type { BlockEnvironment, MessageResult } from '../../../packages/evm/interpreter/message.ts';
import { type Revision, rulesOf } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { WHOLE_SLICE } from '../../../packages/evm/interpreter/slice.ts';
import { assemble } from '../../../scripts/assembler.ts';
import { createEvm } from '../../../src/engine/create-evm.ts';
import { countRuns } from '../../support/count-runs.ts';
import { encodeNumber, VALID_INPUTS } from './interpreter/precompiles/inputs.ts';

const RUNS: number = countRuns(300);
const CALLER = '0x00000000000000000000000000000000000000f0';
const PROGRAM = '0x00000000000000000000000000000000000000f1';
const EMPTY = '0x00000000000000000000000000000000000000f2';

/** Contracts that programs call, by the last byte of their address. */
const LIBRARY: Readonly<Record<string, string>> = {
  '0xa0': '32 0 MSTORE 0 0 REVERT',
  '0xa1': '0 SLOAD 1 ADD DUP1 0 SSTORE 0 MSTORE 32 0 RETURN',
  '0xa2': '40 loop: 1 SWAP1 SUB DUP1 @loop JUMPI GAS 0 MSTORE 7 32 0 LOG1 64 0 RETURN',
  '0xa3': '1 SLOAD 0 MSTORE 0 1 SSTORE 1 2 SSTORE INVALID',
  '0xa4': '0 0 0 0 7 0xa1 GAS CALL 0 0 0 0 0xa3 5000 DELEGATECALL ADD 0 MSTORE 32 0 RETURN',
  '0xa5': '0xf2 SELFDESTRUCT',
  '0xa6': 'CALLDATASIZE 0 0 CALLDATACOPY 0 0 CALLDATASIZE 0 0 0xa2 GAS CALLCODE POP CALLDATASIZE 0 RETURN',
  '0xa7': '3 32 SHA3 0 SSTORE 0 0 0 0 ADDRESS GAS STATICCALL 0 SSTORE 1 0 TSTORE 0 TLOAD 1 SSTORE',
};
const TARGETS = [...Object.keys(LIBRARY), '0xf1', '0xf2', '0xee'];

/** Initialisation codes; each is copied to the program's memory before use. */
const INIT_CODES = [
  '5 0 SSTORE 32 0 RETURN',
  '1 0 MSTORE 0 0 REVERT',
  '0 0 0 0 0 0xa1 GAS CALL POP STOP',
].map((source) => assemble(source));

const small = fc.nat(64);
const slot = fc.nat(3);
const word = fc
  .oneof(small, fc.constantFrom('0 NOT', '1 255 SHL', 'CALLER', 'SELFBALANCE', 'GAS'))
  .map(String);
const size = fc.constantFrom(0, 1, 31, 32, 96, 213, 384);
const gas = fc.oneof(
  { weight: 2, arbitrary: fc.constant('GAS') },
  fc.constantFrom('100', '2300', '9000', '60000'),
);
const target = fc.constantFrom(...TARGETS);
const precompile = fc.constantFrom(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 16, 0x100);

const step = fc.oneof(
  fc.tuple(word, slot).map(([value, key]) => `${value} ${key} SSTORE`),
  fc.tuple(slot, small).map(([key, at]) => `${key} SLOAD ${at} MSTORE`),
  fc.tuple(word, slot).map(([value, key]) => `${value} ${key} TSTORE`),
  fc.tuple(word, small).map(([value, at]) => `${value} ${at} MSTORE`),
  fc.tuple(size, small).map(([length, at]) => `${length} ${at} SHA3 ${at} MSTORE`),
  fc.tuple(word, size).map(([topic, length]) => `${topic} ${length} 0 LOG1`),
  fc.tuple(word, word, word).map(([a, b, c]) => `${a} ${b} ${c} MULMOD 1 MSTORE ${a} ${b} EXP 2 MSTORE`),
  fc
    .tuple(fc.integer({ min: 1, max: 60 }), fc.nat())
    .map(([n, i]) => `${n} l${i}: 1 SWAP1 SUB DUP1 @l${i} JUMPI POP`),
  fc
    .tuple(fc.constantFrom('CALL', 'CALLCODE'), size, size, fc.constantFrom(0, 0, 3), target, gas)
    .map(
      ([kind, out, input, value, to, provided]) =>
        `${out} 0 ${input} 0 ${value} ${to} ${provided} ${kind} 5 MSTORE`,
    ),
  fc
    .tuple(fc.constantFrom('DELEGATECALL', 'STATICCALL'), size, size, target, gas)
    .map(([kind, out, input, to, provided]) => `${out} 0 ${input} 0 ${to} ${provided} ${kind} 6 MSTORE`),
  fc
    .tuple(precompile, size, gas)
    .map(
      ([to, input, provided]) =>
        `384 0 ${input} 0 ${to} ${provided} STATICCALL 400 MSTORE RETURNDATASIZE 440 MSTORE`,
    ),
  fc
    .tuple(fc.constantFrom(...INIT_CODES), fc.boolean(), slot)
    .map(
      ([code, isSalted, salt]) =>
        `${bytesToHex(padLeft(code, 32))} 0 MSTORE ${isSalted ? salt : ''} ${code.length} ${32 - code.length} ${salt} ${isSalted ? 'CREATE2' : 'CREATE'} 7 MSTORE`,
    ),
  target.map((to) => `${to} EXTCODEHASH ${to} EXTCODESIZE ${to} BALANCE ADD ADD 8 MSTORE`),
  target.map((to) => `64 0 0 ${to} EXTCODECOPY`),
  fc.constantFrom(
    'GAS 0 SSTORE',
    '3 BLOCKHASH 0 MSTORE',
    'RETURNDATASIZE 0 0 RETURNDATACOPY',
    '5000 MLOAD POP',
  ),
);
const ending = fc.constantFrom('STOP', '416 0 RETURN', '64 0 REVERT', 'INVALID', '0xf2 SELFDESTRUCT', 'POP');
/** Labels have unique numbers; repeated loops are dropped. */
const program = fc
  .tuple(
    fc.uniqueArray(step, {
      minLength: 1,
      maxLength: 14,
      selector: (source) => /l\d+:/.exec(source)?.[0] ?? {},
    }),
    ending,
  )
  .map(([steps, end]) => `${steps.join('\n')}\n${end}`);

const BLOCK: BlockEnvironment = {
  number: 100n,
  timestamp: 1_000n,
  beneficiary: hexToBytes(EMPTY),
  gasLimit: 30_000_000n,
  difficulty: 0n,
  prevRandao: new Uint8Array(32),
  baseFeePerGas: 7n,
  blobBaseFee: 1n,
  getBlockHash: (number) => keccak256(Uint8Array.of(Number(number))),
};

/** Creates a state that loads accounts, codes and slots only when they are requested. */
function createState(source: string): StateReader {
  const codes = new Map<string, Uint8Array>();
  const accounts = new Map<string, AccountState>();
  const put = (address: string, code: Uint8Array): void => {
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccak256(code);
    codes.set(bytesToHex(codeHash), code);
    accounts.set(address, { nonce: 1n, balance: 1_000n, codeHash, hasStorage: true });
  };
  for (const [name, text] of Object.entries(LIBRARY))
    put(`0x${name.slice(2).padStart(40, '0')}`, assemble(text));
  put(PROGRAM, assemble(source));
  put(CALLER, EMPTY_BYTES);
  return {
    getAccount: (address) => accounts.get(bytesToHex(address)),
    getStorage: (_address, key) =>
      (key[31] as number) % 2 === 1 ? Uint8Array.of(key[31] as number) : EMPTY_BYTES,
    getCode: (codeHash) => codes.get(bytesToHex(codeHash)) as Uint8Array,
  };
}

/** Source that passes its calldata to a precompile with part of its gas; it returns the output, the success flag and the gas left. */
const relay = (address: number, provided: string): string => `
  CALLDATASIZE 0 0 CALLDATACOPY
  0 0 CALLDATASIZE 0 ${address} ${provided} STATICCALL
  RETURNDATASIZE 0 0 RETURNDATACOPY RETURNDATASIZE MSTORE
  GAS RETURNDATASIZE 32 ADD MSTORE RETURNDATASIZE 64 ADD 0 RETURN`;

/** Inputs whose price exceeds what one step computes. */
const LONG_INPUTS: readonly (readonly [address: number, input: Uint8Array])[] = [
  [2, new Uint8Array(300_001).fill(7)],
  [3, new Uint8Array(140_000).fill(7)],
  [
    5,
    concatBytes(encodeNumber(3_000), encodeNumber(3), encodeNumber(3_000), new Uint8Array(6_003).fill(0xfb)),
  ],
  [8, repeat(VALID_INPUTS.get(8) as Uint8Array, 3)],
  [9, Uint8Array.of(0, 2, 0, 1, ...(VALID_INPUTS.get(9) as Uint8Array).subarray(4))],
  [10, VALID_INPUTS.get(10) as Uint8Array],
  [12, repeat(VALID_INPUTS.get(12) as Uint8Array, 5)],
  [14, repeat(VALID_INPUTS.get(14) as Uint8Array, 3)],
  [15, repeat(VALID_INPUTS.get(15) as Uint8Array, 2)],
];

function repeat(input: Uint8Array, times: number): Uint8Array {
  return concatBytes(...new Array<Uint8Array>(times).fill(input));
}

type Outcome = { readonly result: MessageResult; readonly changes: StateChanges };

type MessageOptions = {
  readonly data?: Uint8Array;
  readonly revision?: Revision;
  readonly isCreation?: boolean;
};

/** Executes the program; it pauses after each amount of gas in `slices`, which repeats. */
function* execute(
  evm: Evm,
  source: string,
  gasLimit: bigint,
  slices: readonly bigint[],
  { data = hexToBytes('0x0102030405'), revision = 'osaka', isCreation = false }: MessageOptions = {},
): Generator<undefined, Outcome> {
  evm.attach(createState(source));
  evm.enter(BLOCK, 1n, rulesOf(revision));
  evm.open();
  evm.begin();
  evm.start({
    caller: hexToBytes(CALLER),
    to: isCreation ? undefined : hexToBytes(PROGRAM),
    value: 5n,
    data,
    gasLimit,
    gasPrice: 7n,
    stateGas: 0n,
    blobVersionedHashes: [],
    accessList: [],
  });
  for (let i = 0; !evm.advance(slices[i % slices.length] as bigint); i++) yield;
  const result = evm.result();
  evm.finish();
  return { result, changes: evm.state.collectChanges() };
}

/** Executes a call without value and gas price through the general or the fast-path entry; pauses like `execute`. */
function executeCall(
  evm: Evm,
  source: string,
  gasLimit: number,
  slices: readonly bigint[],
  isPlain: boolean,
): Outcome {
  const [caller, program, data] = [hexToBytes(CALLER), hexToBytes(PROGRAM), hexToBytes('0x0102030405')];
  evm.attach(createState(source));
  evm.enter(BLOCK, 1n, rulesOf('osaka'));
  let i = 0;
  const sliceAt = (): bigint => slices[i++ % slices.length] as bigint;
  if (isPlain) {
    const bytes = concatBytes(data, program, caller);
    const call = {
      bytes,
      from: 25,
      to: 5,
      data: 0,
      dataLength: 5,
      zeros: 0,
      gas: NO_GAS_LIMIT,
      block: LATEST_BLOCK,
      following: undefined,
    };
    if (evm.runFastPath(call, gasLimit, Number(sliceAt()))) return collect(evm);
  } else {
    evm.open();
    evm.begin();
    evm.state.raiseNonce(caller);
    const nothing = { value: 0n, stateGas: 0n, gasPrice: 0n, blobVersionedHashes: [], accessList: [] };
    evm.start({ caller, to: program, data, gasLimit: BigInt(gasLimit), ...nothing });
  }
  while (!evm.advance(sliceAt()));
  return collect(evm);
}

function collect(evm: Evm): Outcome {
  const { gasUsedNumber, isSuccess } = evm;
  const result = evm.result();
  assert.equal(gasUsedNumber, Number(result.gasUsed));
  assert.equal(isSuccess, result.status === 'success');
  if (isSuccess) assert.equal(evm.outputData, bytesToHex(result.output));
  evm.finish();
  return { result, changes: evm.state.collectChanges() };
}

function runToEnd(execution: Generator<undefined, Outcome>): Outcome {
  while (true) {
    const { done, value } = execution.next();
    if (done) return value;
  }
}

const gasLimit = fc.oneof(fc.constant(2_000_000n), fc.bigInt({ min: 0n, max: 150_000n }));
const slices = fc.array(fc.oneof(fc.constant(1n), fc.bigInt({ min: 1n, max: 1_000n })), {
  minLength: 1,
  maxLength: 5,
});

describe('execution slices', () => {
  let evms: Evm[];
  /** EVMs with a higher memory limit. */
  let roomy: Evm[];
  before(() => {
    evms = Array.from({ length: 4 }, () => createEvm(createState('STOP'), 2 ** 20));
    roomy = Array.from({ length: 2 }, () => createEvm(createState('STOP'), 2 ** 24));
  });

  test('of any size do not change the result', () => {
    fc.assert(
      fc.property(program, gasLimit, slices, (source, limit, sizes) => {
        const [whole, cut] = evms as [Evm, Evm];
        const expected = runToEnd(execute(whole, source, limit, [WHOLE_SLICE]));
        assert.deepEqual(runToEnd(execute(cut, source, limit, sizes)), expected);
      }),
      { numRuns: RUNS },
    );
    // Slices of 1 gas end at each round of a loop, however the analysis groups instructions into blocks.
    const loop = '100 loop: 1 SWAP1 SUB DUP1 @loop JUMPI STOP';
    const pauses = compareRuns(loop, 100_000n, [1n], {});
    assert.ok(pauses >= 99, `${pauses} pauses`);
  });

  test('do not change the result of a fast-path call, which starts in one step', () => {
    fc.assert(
      fc.property(program, gasLimit, slices, (source, limit, sizes) => {
        const [whole, cut] = evms as [Evm, Evm];
        const expected = executeCall(whole, source, Number(limit), [WHOLE_SLICE], false);
        assert.deepEqual(executeCall(cut, source, Number(limit), sizes, true), expected);
        assert.deepEqual(executeCall(cut, source, Number(limit), [WHOLE_SLICE], true), expected);
      }),
      { numRuns: RUNS },
    );
  });

  test('of several executions on one thread do not affect each other', () => {
    const plan = fc.tuple(program, gasLimit, slices);
    fc.assert(
      fc.property(
        fc.array(plan, { minLength: 2, maxLength: 3 }),
        fc.infiniteStream(fc.nat(2)),
        (plans, slots) => {
          const expected = plans.map(([source, limit]) =>
            runToEnd(execute(evms[3] as Evm, source, limit, [WHOLE_SLICE])),
          );
          const running = plans.map(([source, limit, sizes], i) =>
            execute(evms[i] as Evm, source, limit, sizes),
          );
          const outcomes: (Outcome | undefined)[] = plans.map(() => undefined);
          for (const turn of slots) {
            const open = [...running.keys()].filter((i) => outcomes[i] === undefined);
            const i = open[turn % open.length];
            if (i === undefined) break;
            const { done, value } = (running[i] as Generator<undefined, Outcome>).next();
            if (done) outcomes[i] = value;
          }
          assert.deepEqual(outcomes, expected);
        },
      ),
      { numRuns: RUNS },
    );
  });

  /** Compares an execution in one piece with one in slices; both must be equal. @returns how often the latter paused */
  function compareRuns(
    source: string,
    limit: bigint,
    sizes: readonly bigint[],
    options: MessageOptions,
  ): number {
    const expected = runToEnd(execute(roomy[0] as Evm, source, limit, [WHOLE_SLICE], options));
    const execution = execute(roomy[1] as Evm, source, limit, sizes, options);
    let pauses = 0;
    let step = execution.next();
    for (; !step.done; step = execution.next()) pauses++;
    assert.deepEqual(step.value, expected, source);
    return pauses;
  }

  test('within a precompile do not change the result, with enough gas for it or not', () => {
    const provided = fc.oneof(fc.constant('GAS'), fc.integer({ min: 30_001, max: 300_000 }).map(String));
    fc.assert(
      fc.property(fc.constantFrom(...LONG_INPUTS), provided, slices, ([address, data], gasGiven, sizes) => {
        compareRuns(relay(address, gasGiven), 10_000_000n, sizes, { data, revision: 'prague' });
      }),
      { numRuns: countRuns(60) },
    );
    for (const [address, data] of LONG_INPUTS) {
      const pauses = compareRuns(relay(address, 'GAS'), 20_000_000n, [50_000n], { data, revision: 'prague' });
      assert.ok(pauses >= 2, `precompile ${address}: ${pauses} pauses`);
    }
  });

  test('within a long hash do not change the result, with enough gas for it or not', () => {
    const source = (size: number, from: number): string =>
      `0x77 ${from} MSTORE ${size} ${from} SHA3 0 SSTORE GAS 1 SSTORE ${size + 1} 0 SHA3 2 SSTORE`;
    const limits = fc.oneof(fc.constant(3_000_000n), fc.bigInt(100_000n, 800_000n));
    fc.assert(
      fc.property(fc.nat(700_000), fc.nat(100), limits, slices, (size, from, limit, sizes) => {
        compareRuns(source(size, from), limit, sizes, {});
      }),
      { numRuns: countRuns(60) },
    );
    assert.ok(compareRuns(source(600_000, 7), 3_000_000n, [WHOLE_SLICE - 1n], {}) >= 6);
  });

  test('within the decoding of long code do not change the result', () => {
    // Jumps over constants that look like destinations, wherever a step of decoding ends.
    const unit = assemble('PC 12 ADD JUMP 0x5b5b5b5b5b POP JUMPDEST 1 2 ADD POP');
    const build = (length: number, shift: number): Uint8Array =>
      concatBytes(
        new Uint8Array(shift).fill(0x5b),
        repeat(unit, Math.ceil(length / unit.length)),
        assemble('42 0 MSTORE 32 0 RETURN'),
      );
    const nested = 'CALLDATASIZE 0 0 CALLDATACOPY CALLDATASIZE 0 0 CREATE 0 SSTORE GAS 1 SSTORE';
    fc.assert(
      fc.property(
        fc.integer({ min: 140_000, max: 200_000 }),
        fc.nat(40),
        fc.boolean(),
        slices,
        (length, shift, isNested, sizes) => {
          const data = build(length, shift);
          const options = { data, revision: 'london', isCreation: !isNested } as const;
          const pauses = compareRuns(nested, 50_000_000n, [WHOLE_SLICE - 1n], options);
          assert.ok(pauses >= 4, `${pauses} pauses`);
          const longer = sizes.map((size) => size * 1_000n);
          compareRuns(nested, 50_000_000n, longer, options);
        },
      ),
      { numRuns: 15 },
    );
  });

  test('within the rollback of a frame do not change the result', () => {
    const source = (writes: number, end: string): string => `
      CALLDATASIZE @outer JUMPI
      ${writes} loop: 1 SWAP1 SUB DUP1 DUP1 TSTORE DUP1 @loop JUMPI 1 2 SSTORE 77 0 MSTORE ${end}
      outer: 1 1 TSTORE 32 0 0 0 0 ADDRESS GAS CALL 0 SSTORE 1 TLOAD 1 SSTORE 0 MLOAD 3 SSTORE GAS 4 SSTORE`;
    for (const end of ['32 0 REVERT', 'INVALID', '0xef 0 MSTORE8 STOP']) {
      for (const writes of [10, 60_000]) {
        const pauses = compareRuns(source(writes, end), 12_000_000n, [WHOLE_SLICE - 1n], {});
        if (writes > 50_000 && end !== '0xef 0 MSTORE8 STOP') assert.ok(pauses >= 2, `${pauses} pauses`);
        compareRuns(source(writes, end), 12_000_000n, [7_001n, 50_000n], {});
      }
    }
  });

  test('of an abandoned message leave no changes', () => {
    fc.assert(
      fc.property(program, gasLimit, slices, fc.nat(50), (source, limit, sizes, slots) => {
        const [whole, cut] = evms as [Evm, Evm];
        const expected = runToEnd(execute(whole, source, limit, [WHOLE_SLICE]));
        const givenUp = execute(cut, source, limit, sizes);
        let step = givenUp.next();
        for (let i = 0; i < slots && !step.done; i++) step = givenUp.next();
        if (!step.done) {
          cut.abandon();
          assert.deepEqual(cut.state.collectChanges(), { accounts: [], codes: [] });
        }
        assert.deepEqual(runToEnd(execute(cut, source, limit, sizes)), expected);
      }),
      { numRuns: RUNS },
    );
  });
});
