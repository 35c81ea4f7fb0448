/** Simulated blocks: how each builds on the one before, the real blocks that they equal, and that they leave no state behind. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { encodeBody, measureBlock } from '../../../../../packages/ethereum/codecs/block.ts';
import { assembleUnsigned } from '../../../../../packages/ethereum/codecs/transaction.ts';
import { bytesToHex } from '../../../../../packages/ethereum/primitives/hex.ts';
import type { JsonResult } from '../../../../../packages/ethereum/primitives/json-result.ts';
import { assemble } from '../../../../../scripts/assembler.ts';
import { ChainError } from '../../../../../src/chain/errors.ts';
import type {
  BlockReference,
  BlockSimulation,
  BlockStateCalls,
  CallObject,
} from '../../../../../src/chain/requests.ts';
import { ChainBuilder, signTransaction } from '../../../../support/chain-builder.ts';
import {
  ALICE,
  ALICE_KEY,
  createGenesis,
  ETHER,
  limitTo,
  type OpenedChain,
  openBuiltChain,
  ownedBy,
} from '../../../../support/test-chain.ts';
import { BENEFICIARY, buildCallChain, chainError, encodeCall, REVERTER } from '../../call-harness.ts';

const SENDER = '0x00000000000000000000000000000000000000aa';
const PROGRAM = '0x00000000000000000000000000000000000000cc';
const OTHER = '0x00000000000000000000000000000000000000dd';
const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
const PATIENCE_MS = 60_000;

type CallResult = {
  readonly returnData: string;
  readonly logs: readonly { readonly address: string; readonly logIndex: string; readonly data: string }[];
  readonly gasUsed: string;
  readonly maxUsedGas: string;
  readonly status: string;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: string };
};
type Block = Readonly<Record<string, string>> & {
  readonly calls: readonly CallResult[];
  readonly transactions: readonly string[];
};

const hexOf = (value: bigint): string => `0x${value.toString(16)}`;
const code = (source: string): { readonly code: string } => ({ code: bytesToHex(assemble(source)) });

async function readText(result: JsonResult): Promise<string> {
  if (typeof result === 'string') return result;
  const pieces: Uint8Array[] = [];
  for await (const piece of result.pieces) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('simulated blocks', () => {
  let opened: OpenedChain;
  before(async () => {
    const [genesis, builder] = await buildCallChain({ revision: 'osaka' });
    opened = await openBuiltChain(genesis, builder);
  });
  after(async () => {
    await opened.close();
    assert.deepEqual(opened.faults, []);
  });

  async function simulate(
    blockStateCalls: readonly BlockStateCalls[],
    more: Omit<BlockSimulation, 'blockStateCalls'> = {},
    chain: OpenedChain = opened,
    block: BlockReference = LATEST,
  ): Promise<Block[]> {
    const request = { simulation: { blockStateCalls, ...more }, block };
    const result = await chain.chain.execution.simulate(request, limitTo(PATIENCE_MS));
    return JSON.parse(await readText(result)) as Block[];
  }

  const run = async (
    source: string,
    call: CallObject = {},
    more: Omit<BlockSimulation, 'blockStateCalls'> = {},
  ): Promise<CallResult> => {
    const stateOverrides = { [PROGRAM]: code(source), [SENDER]: { balance: hexOf(ETHER) } };
    const calls = [{ from: SENDER, to: PROGRAM, ...call }];
    const [block] = await simulate([{ stateOverrides, calls }], more);
    return block?.calls[0] as CallResult;
  };

  test('charge only intrinsic gas for a creation by a sender with the maximum nonce, and leave the nonce', async () => {
    const stateOverrides = { [SENDER]: { nonce: '0xffffffffffffffff' } };
    const create = { from: SENDER, data: '0x00', gas: '0x100000' };
    const [block] = await simulate([{ stateOverrides, calls: [create, create] }]);
    assert.deepEqual(
      block?.calls.map(({ gasUsed, status, error }) => [gasUsed, status, error?.message]),
      [1, 2].map(() => ['0xcf0e', '0x0', 'nonce uint64 overflow']),
    );
  });

  test('see the state, the hash and the time of the blocks before', async () => {
    const write = { from: SENDER, to: REVERTER, data: encodeCall('write(uint256)', 77n) };
    const [, gap, , last] = await simulate([
      { calls: [write] },
      {
        blockOverrides: { number: '0x6' },
        stateOverrides: { [PROGRAM]: code('5 BLOCKHASH 0 MSTORE 4 BLOCKHASH 32 MSTORE 64 0 RETURN') },
        calls: [{ to: PROGRAM }],
      },
      { calls: [{ to: PROGRAM }] },
    ]);
    const blocks = await simulate([{ calls: [write] }, { blockOverrides: { number: '0x6' } }, {}]);
    assert.deepEqual(
      blocks.map(({ number, timestamp }) => [Number(number), Number(timestamp)]),
      [4, 5, 6, 7].map((number, at) => [number, Number(blocks[0]?.['timestamp']) + 12 * at]),
    );
    assert.equal(gap?.calls.length, 0);
    for (const [at, block] of blocks.entries()) {
      if (at > 0) assert.equal(block['parentHash'], blocks[at - 1]?.['hash']);
    }
    const hashes = last?.calls[0]?.returnData ?? '';
    assert.equal(`0x${hashes.slice(2, 66)}`, gap?.['hash']);
    const reads = await simulate([
      { calls: [write] },
      { calls: [{ to: REVERTER, data: encodeCall('read()') }] },
    ]);
    assert.equal(BigInt(reads[1]?.calls[0]?.returnData ?? 0), 77n);
  });

  test('leave no state behind', async () => {
    const call = { to: REVERTER, data: encodeCall('read()') };
    const before = await opened.chain.execution.call({ call, block: LATEST }, limitTo(PATIENCE_MS));
    await simulate([
      {
        stateOverrides: {
          [REVERTER]: { state: {} },
          '0x0000000000000000000000000000000000000004': code('STOP'),
        },
        calls: [{ to: REVERTER, data: encodeCall('write(uint256)', 5n) }],
      },
    ]);
    assert.equal(await opened.chain.execution.call({ call, block: LATEST }, limitTo(PATIENCE_MS)), before);
    const identity = { to: '0x0000000000000000000000000000000000000004', data: '0xbeef' };
    assert.equal(
      await opened.chain.execution.call({ call: identity, block: LATEST }, limitTo(PATIENCE_MS)),
      '"0xbeef"',
    );
  });

  test('have precompiles that the block before moved at their own addresses', async () => {
    const identity = '0x0000000000000000000000000000000000000004';
    const calls = [
      { to: identity, data: '0xbeef' },
      { to: OTHER, data: '0xbeef' },
    ];
    const moved = { stateOverrides: { [identity]: { movePrecompileToAddress: OTHER } }, calls };
    const returned = (await simulate([moved, { calls }])).map((block) =>
      block.calls.map((one) => one.returnData),
    );
    assert.deepEqual(returned, [
      ['0x', '0xbeef'],
      ['0xbeef', '0x'],
    ]);
  });

  test('report reverts and halts with code, message, data and gas', async () => {
    const reverted = await run(
      '0x08c379a0 224 SHL 0 MSTORE 32 4 MSTORE 2 36 MSTORE 0x6f6b 240 SHL 68 MSTORE 100 0 REVERT',
    );
    assert.deepEqual(
      { ...reverted.error, data: reverted.error?.data?.slice(0, 10) },
      { code: 3, message: 'execution reverted: ok', data: '0x08c379a0' },
    );
    assert.equal(reverted.returnData, '0x');
    assert.equal(reverted.status, '0x0');
    const halted = await run('INVALID', { gas: '0x20000' });
    assert.deepEqual(halted.error, { code: -32015, message: 'invalid opcode: INVALID' });
    assert.equal(halted.gasUsed, '0x20000');
  });

  test('number logs among all emitted ones, and have transfers as logs on request', async () => {
    const inner = { [OTHER]: code('1 0 0 LOG1 0 0 REVERT') };
    const source = `0 0 LOG0 0 0 0 0 1 ${OTHER} GAS CALL POP 0 0 0 0 3 ${SENDER} GAS CALL POP 0 0 LOG0`;
    const stateOverrides = { ...inner, [PROGRAM]: { ...code(source), balance: '0x64' } };
    for (const [traceTransfers, indices] of [
      [false, ['0x0', '0x2']],
      [true, ['0x0', '0x3', '0x4']],
    ] as const) {
      const [block] = await simulate([{ stateOverrides, calls: [{ to: PROGRAM }] }], { traceTransfers });
      const logs = block?.calls[0]?.logs ?? [];
      assert.deepEqual(
        logs.map(({ logIndex }) => logIndex),
        indices,
      );
      const transfers = logs.filter(({ address }) => address === `0x${'ee'.repeat(20)}`);
      assert.deepEqual(
        transfers.map(({ data }) => Number(data)),
        traceTransfers ? [3] : [],
      );
      assert.equal(block?.['logsBloom'] === `0x${'00'.repeat(256)}`, false);
    }
  });

  test('wrap default timestamps after the maximum of 64 bits', async () => {
    const blocks = await simulate([{ blockOverrides: { time: '0xffffffffffffffff' } }, {}, {}]);
    assert.deepEqual(
      blocks.map(({ timestamp }) => timestamp),
      ['0xffffffffffffffff', '0xb', '0x17'],
    );
  });

  test('receipts of calls with the same transaction hash have the logs of the earlier call', async () => {
    const logging = { [PROGRAM]: code('0 0 LOG0') };
    const same = { to: PROGRAM, gas: hexOf(100_000n), nonce: '0x0' };
    const [first, silent, other] = await simulate([
      { stateOverrides: logging, calls: [{ ...same, from: SENDER }] },
      { stateOverrides: { [PROGRAM]: code('STOP') }, calls: [{ ...same, from: OTHER }] },
      { calls: [{ ...same, gas: hexOf(100_001n) }] },
    ]);
    assert.equal(first?.calls[0]?.logs.length, 1);
    assert.deepEqual(silent?.calls[0]?.logs, []);
    assert.equal(silent?.['logsBloom'], first?.['logsBloom']);
    assert.notEqual(silent?.['receiptsRoot'], other?.['receiptsRoot']);
    assert.equal(other?.['logsBloom'], `0x${'00'.repeat(256)}`);
  });

  test('bound the gas of all calls together, and report the cap in the error of the stopped call', async () => {
    const bounded = await openBounded(100_000);
    const loop = { [PROGRAM]: code('loop: @loop JUMP') };
    const [block] = await simulate(
      [{ stateOverrides: loop, calls: [{ to: OTHER }, { to: PROGRAM }] }],
      {},
      bounded,
    );
    assert.deepEqual(block?.calls[1]?.error, {
      code: -32015,
      message: "out of gas (gas limit was capped by the RPC server's global gas cap)",
    });
    assert.equal(Number(block?.['gasUsed']), 100_000);
    await assert.rejects(
      simulate([{ stateOverrides: loop, calls: [{ to: PROGRAM }, { to: OTHER }] }], {}, bounded),
      {
        kind: 'intrinsicGas',
        message: /^err: intrinsic gas too low: have 0, want 21000 \(supplied gas 0\)$/,
      },
    );
    await bounded.close();
  });

  async function openBounded(simulationGas: number): Promise<OpenedChain> {
    const [genesis, builder] = await buildCallChain({ revision: 'osaka' });
    return openBuiltChain(genesis, builder, { simulationGas });
  }

  test('with an invalid block or transaction are refused, with the kind of the error', async () => {
    const refusals: readonly (readonly [BlockStateCalls[], boolean, string, RegExp])[] = [
      [
        [{ blockOverrides: { number: '0x3' } }],
        false,
        'blockNumberOrder',
        /^block numbers must be in order: 3 <= 3$/,
      ],
      [
        [{ blockOverrides: { number: '0x104' } }],
        false,
        'simulationLimit',
        /^too many blocks \(bound: simulation\.blocks\)$/,
      ],
      [
        [{ blockOverrides: { time: '0x1' } }],
        false,
        'blockTimestampOrder',
        /^block timestamps must be in order: 1 <= /,
      ],
      [
        [{ calls: [{ gas: '0x1c9c381' }] }],
        false,
        'blockGasLimit',
        /^block gas limit reached: remaining: 30000000, /,
      ],
      [
        [{ calls: [{ gas: '0x5207', to: OTHER }] }],
        false,
        'intrinsicGas',
        /^err: intrinsic gas too low: have 20999, /,
      ],
      [
        [{ calls: [{ value: '0x1', to: OTHER }] }],
        false,
        'insufficientFunds',
        /have 0 want 1 \(supplied gas /,
      ],
      [
        [{ calls: [{ nonce: '0x1', to: OTHER, maxFeePerGas: '0xffffffff' }] }],
        true,
        'nonceTooHigh',
        /tx: 1 state: 0/,
      ],
      [
        [{ stateOverrides: { [SENDER]: { nonce: '0x2' } }, calls: [{ from: SENDER, nonce: '0x1' }] }],
        true,
        'nonceTooLow',
        /tx: 1 state: 2/,
      ],
      [
        [{ calls: [{ to: OTHER }] }],
        true,
        'feeCapTooLow',
        /^err: max fee per gas less than block base fee: /,
      ],
      [
        [{ calls: [{ data: `0x${'00'.repeat(49_153)}` }] }],
        false,
        'initCodeSize',
        /^err: max initcode size exceeded: /,
      ],
      [
        [{ calls: [{ maxPriorityFeePerGas: '0x1', to: OTHER }] }],
        false,
        'invalid',
        /^err: max priority fee per gas /,
      ],
      [
        [{ calls: [{ blobVersionedHashes: [], to: OTHER }] }],
        false,
        'invalidSimulation',
        /missing blob hashes/,
      ],
      [[{ calls: [{ gasPrice: '0x1', maxFeePerGas: '0x1' }] }], false, 'failed', /^both gasPrice and /],
      [
        [{ calls: [{ chainId: '0x1' }] }],
        false,
        'failed',
        /^chainId does not match node's \(have=1, want=1337\)$/,
      ],
      [
        [{ stateOverrides: { '0x00000961ef480eb55e80d19ad83579a64c007002': { code: '0x' } } }],
        false,
        'failed',
        /^failed to process withdrawal queue: empty system contract: no code at 0x00000961Ef480Eb55e80D19ad83579A64c007002$/,
      ],
      [
        [{ stateOverrides: { '0x00000961ef480eb55e80d19ad83579a64c007002': code('INVALID') } }],
        false,
        'failed',
        /^failed to process withdrawal queue: system call failed to execute: invalid opcode: INVALID$/,
      ],
    ];
    for (const [blocks, validation, kind, message] of refusals) {
      await assert.rejects(simulate(blocks, { validation }), { name: 'ChainError', kind, message });
    }
  });

  test('before London use an overridden base fee, and require funds for the fee cap', async () => {
    const [genesis, builder] = await buildCallChain({ revision: 'berlin' });
    const berlin = await openBuiltChain(genesis, builder);
    try {
      const call = {
        from: SENDER,
        to: OTHER,
        gas: '0x5208',
        maxFeePerGas: '0xa',
        maxPriorityFeePerGas: '0x1',
      };
      const block = (balance: bigint): BlockStateCalls => ({
        blockOverrides: { baseFeePerGas: '0x1' },
        stateOverrides: {
          [SENDER]: { balance: hexOf(balance) },
          [PROGRAM]: code(`${SENDER} BALANCE 0 MSTORE 32 0 RETURN`),
        },
        calls: [call, { to: PROGRAM }],
      });
      const [simulated] = await simulate([block(210_000n)], {}, berlin);
      assert.equal(BigInt(simulated?.calls[1]?.returnData ?? 0), 210_000n - 21_000n * 2n);
      await assert.rejects(simulate([block(209_999n)], {}, berlin), {
        message: /insufficient funds for gas \* price \+ value: address 0x0{38}aa have 209999 want 210000/i,
      });
    } finally {
      await berlin.close();
    }
  });

  test('apply withdrawals, beacon roots and fee recipients', async () => {
    const source = `${OTHER} BALANCE 0 MSTORE COINBASE 32 MSTORE BASEFEE 64 MSTORE 96 0 RETURN`;
    const stateOverrides = { [PROGRAM]: code(source), [SENDER]: { balance: hexOf(ETHER) } };
    const withdrawals = [{ index: '0x1', validatorIndex: '0x2', address: OTHER, amount: '0x3' }];
    const beaconRoot = `0x${'ab'.repeat(32)}`;
    const blocks = await simulate(
      [
        { blockOverrides: { withdrawals, beaconRoot } },
        {
          blockOverrides: { feeRecipient: OTHER, baseFeePerGas: '0x7' },
          stateOverrides,
          calls: [
            { from: SENDER, to: PROGRAM, maxFeePerGas: '0x9', maxPriorityFeePerGas: '0x1' },
            { to: PROGRAM },
            { to: PROGRAM, gasPrice: '0x0' },
          ],
        },
      ],
      { returnFullTransactions: true },
    );
    assert.deepEqual(blocks[0]?.['withdrawals'], withdrawals);
    assert.equal(blocks[0]?.['parentBeaconBlockRoot'], beaconRoot);
    const [first, second] = blocks[1]?.calls ?? [];
    const words = (first?.returnData.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
    assert.deepEqual(words, [3_000_000_000n, BigInt(OTHER), 7n]);
    const tip = BigInt(first?.gasUsed ?? 0);
    assert.equal(BigInt(second?.returnData.slice(0, 66) ?? 0), 3_000_000_000n + tip);
    const [transaction, , legacy] = (blocks[1] as Block).transactions as unknown as Record<string, string>[];
    const { type, chainId, v, r, s } = legacy ?? {};
    const unsigned = { chainId: '0x7fffffffffffffee', v: '0x0', r: '0x0', s: '0x0' };
    assert.deepEqual({ type, chainId, v, r, s }, { type: '0x0', ...unsigned });
    assert.equal(transaction?.['from'], SENDER);
    assert.equal(transaction?.['gasPrice'], '0x8');
  });

  test('have the same state root for overrides of one block as for those of several blocks', async () => {
    const names = Array.from({ length: 300 }, (_, i) => i + 1_000);
    const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;
    const slotsOf = (some: number[]): Record<string, string> =>
      Object.fromEntries(some.map((name) => [word(name), word(name)]));
    const balancesOf = (some: number[]): Record<string, { balance: string }> =>
      Object.fromEntries(some.map((name) => [`0x${word(name).slice(26)}`, { balance: hexOf(BigInt(name)) }]));
    // An account that has only storage, one that has code too, and one that is emptied.
    const more = { [OTHER]: { balance: '0x1' }, [SENDER]: { state: {} }, [REVERTER]: { state: {} } };
    const [whole] = await simulate([
      {
        stateOverrides: {
          ...more,
          ...balancesOf(names),
          [OTHER]: { balance: '0x1', state: slotsOf(names) },
          [PROGRAM]: { code: '0x00', stateDiff: slotsOf(names) },
        },
      },
    ]);
    const parts = Array.from({ length: 6 }, (_, i) => names.slice(50 * i, 50 * i + 50));
    const blocks = await simulate([
      { stateOverrides: { ...more, [OTHER]: { balance: '0x1', state: {} }, [PROGRAM]: { code: '0x00' } } },
      ...parts.map((part) => ({
        stateOverrides: {
          ...balancesOf(part),
          [OTHER]: { stateDiff: slotsOf(part) },
          [PROGRAM]: { stateDiff: slotsOf(part) },
        },
      })),
    ]);
    assert.equal(blocks.at(-1)?.['stateRoot'], whole?.['stateRoot']);
  });

  test('on the pending block have no fee recipient, as in geth', async () => {
    const calls = [{ blockOverrides: {} }];
    const pending: BlockReference = { kind: 'tag', tag: 'pending' };
    const [atHead] = await simulate(calls);
    const [atPending] = await simulate(calls, {}, opened, pending);
    assert.equal(atHead?.['miner'], bytesToHex(BENEFICIARY));
    assert.equal(atPending?.['miner'], `0x${'00'.repeat(20)}`);
    assert.equal(atPending?.['parentHash'], atHead?.['parentHash']);
  });

  test('continue on a thread with the same result, and end when their client cancels', async () => {
    const source = '3000000 loop: 1 SWAP1 SUB DUP1 @loop JUMPI 32 0 RETURN';
    const blocks = [
      { stateOverrides: { [PROGRAM]: code(source) }, calls: [{ to: PROGRAM, gas: '0x1c9c380' }] },
    ];
    const [first] = await simulate(blocks);
    assert.equal(opened.pool.size, 1);
    const [second] = await simulate(blocks);
    assert.equal(second?.['hash'], first?.['hash']);
    const controller = new AbortController();
    const scope = ownedBy('owner', limitTo(PATIENCE_MS, controller.signal));
    const request = { simulation: { blockStateCalls: Array(50).fill(blocks[0]) }, block: LATEST };
    const provided = Promise.resolve(opened.chain.execution.simulate(request, scope));
    controller.abort();
    await assert.rejects(provided, { kind: 'aborted' });
  });

  test('stream results of megabytes, up to a bound', async () => {
    const returns = (bytes: number): Record<string, { code: string }> => ({
      [PROGRAM]: code(`${bytes} 0 RETURN`),
    });
    const calls = Array<CallObject>(4).fill({ to: PROGRAM, gas: '0x6acfc0' });
    const [block] = await simulate([{ stateOverrides: returns(500_000), calls }]);
    assert.equal(block?.calls[3]?.returnData.length, 1_000_002);
    const rich = await openBuiltChain(
      ...(await buildCallChain({ revision: 'osaka', gasLimit: 1_000_000_000n })),
    );
    const many = Array<CallObject>(40).fill({ to: PROGRAM, gas: '0x16e3600' });
    const stateOverrides = returns(1_000_000);
    await assert.rejects(
      simulate([{ stateOverrides, calls: many }], {}, rich),
      chainError('failed', 'the result is larger than 67108864 bytes'),
    );
    await rich.close();
  });

  test('on a missing block are refused', async () => {
    const request = {
      simulation: { blockStateCalls: [{}] },
      block: { kind: 'number', number: 99n },
    } as const;
    assert.throws(() => opened.chain.execution.simulate(request, limitTo(PATIENCE_MS)), ChainError);
  });
});

describe('a simulated block and the imported block', () => {
  for (const revision of ['berlin', 'shanghai', 'osaka', 'amsterdam'] as const) {
    test(`have the same roots, bloom and gas: ${revision}`, async () => {
      const LOGGER = '0x00000000000000000000000000000000000000bb';
      const alloc = { [LOGGER]: { balance: '0', ...code('1 2 3 0 0 LOG3 CALLVALUE NUMBER SSTORE') } };
      const genesis = createGenesis({ revision, alloc });
      const builder = new ChainBuilder(genesis);
      await builder.add({ beneficiary: BENEFICIARY, transactions: [] });
      const parent = new ChainBuilder(genesis);
      await parent.add({ beneficiary: BENEFICIARY, transactions: [] });
      const isLegacy = revision === 'berlin';
      const fees = isLegacy
        ? { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n }
        : { maxFeePerGas: 3n * 10n ** 9n, maxPriorityFeePerGas: 5n };
      const plain = { gasLimit: 200_000n, value: 3n, ...fees };
      // There are more than one step pays; some go to one account, at both ends of the list.
      const withdrawals = isLegacy
        ? []
        : Array.from({ length: 300 }, (_, i) => ({
            index: BigInt(i),
            validatorIndex: 7n,
            address: new Uint8Array(20).fill(i % 150),
            amount: BigInt(i % 3),
          }));
      const real = await builder.add({
        beneficiary: BENEFICIARY,
        withdrawals,
        transactions: [0n, 1n].map((nonce) =>
          signTransaction(ALICE_KEY, {
            type: isLegacy ? 0 : 2,
            nonce,
            to: Uint8Array.from(Buffer.from(LOGGER.slice(2), 'hex')),
            ...plain,
          }),
        ),
      });
      const call = {
        from: bytesToHex(ALICE),
        to: LOGGER,
        gas: hexOf(plain.gasLimit),
        value: hexOf(plain.value),
        ...(isLegacy
          ? { gasPrice: hexOf(fees.maxFeePerGas) }
          : {
              maxFeePerGas: hexOf(fees.maxFeePerGas),
              maxPriorityFeePerGas: hexOf(fees.maxPriorityFeePerGas),
            }),
      };
      const { header } = real;
      const blockOverrides = {
        time: hexOf(header.timestamp),
        prevRandao: bytesToHex(header.mixHash),
        gasLimit: hexOf(header.gasLimit),
        difficulty: hexOf(header.difficulty),
        withdrawals: withdrawals.map(({ index, validatorIndex, address, amount }) => ({
          index: hexOf(index),
          validatorIndex: hexOf(validatorIndex),
          address: bytesToHex(address),
          amount: hexOf(amount),
        })),
        ...(header.parentBeaconBlockRoot !== undefined && {
          beaconRoot: bytesToHex(header.parentBeaconBlockRoot),
        }),
      };
      const simulation = { blockStateCalls: [{ blockOverrides, calls: [call, call] }], validation: true };
      // The test runs on the head and below it.
      for (const chain of [parent, builder]) {
        const opened = await openBuiltChain(genesis, chain);
        const result = await opened.chain.execution.simulate(
          { simulation, block: { kind: 'number', number: header.number - 1n } },
          limitTo(PATIENCE_MS),
        );
        const [block] = JSON.parse(await readText(result)) as [Block];
        assert.deepEqual(
          [
            block['stateRoot'],
            block['receiptsRoot'],
            block['withdrawalsRoot'],
            block['logsBloom'],
            BigInt(block['gasUsed'] as string),
          ],
          [
            bytesToHex(header.stateRoot),
            bytesToHex(header.receiptsRoot),
            header.withdrawalsRoot && bytesToHex(header.withdrawalsRoot),
            bytesToHex(header.logsBloom),
            header.gasUsed,
          ],
        );
        if (header.blockAccessListHash !== undefined)
          assert.equal(block['blockAccessListHash'], bytesToHex(header.blockAccessListHash));
        const paid = isLegacy ? undefined : blockOverrides.withdrawals;
        assert.deepEqual(block['withdrawals'], paid);
        // The transactions are the same without signatures: calls have none.
        const { transactions, uncles, withdrawals: listed } = real;
        const unsigned = transactions.map((one) => assembleUnsigned(one));
        const body = encodeBody({
          transactions: unsigned,
          uncles,
          ...(listed !== undefined && { withdrawals: listed }),
        });
        const simulatedSize = BigInt(block['size'] as string);
        assert.equal(simulatedSize, BigInt(measureBlock(header, body)));
        assert.equal(block['parentHash'], bytesToHex(header.parentHash));
        assert.equal(block['baseFeePerGas'], header.baseFeePerGas && hexOf(header.baseFeePerGas));
        await opened.close();
        assert.deepEqual(opened.faults, []);
      }
    });
  }
});
