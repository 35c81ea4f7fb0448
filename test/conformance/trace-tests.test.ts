/**
 * Real transactions with their call trees. Without a tracer an execution shows its outermost call: status, gas,
 * output, revert reason. Inner calls show only their effects: every transfer of value that was not reverted,
 * code deployed, nothing at all of a failed call. Their gas, input and output stay unseen.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { activeForks, parseChainConfig } from '../../packages/ethereum/codecs/chain-config.ts';
import {
  effectiveGasPrice,
  recoverSender,
  type Transaction,
} from '../../packages/ethereum/codecs/transaction.ts';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import { decodeRevertReason } from '../../packages/ethereum/primitives/revert-reason.ts';
import { REVISIONS, type Revision } from '../../packages/evm/interpreter/revisions/revisions.ts';
import { recoverPublicKey } from '../../scripts/chains/secp256k1.ts';
import { findVectors, SKIP_REASON } from '../support/vectors.ts';
import { executeTransaction } from './support/execute-transaction.ts';
import type { Execution } from './support/execution.ts';
import {
  applyChanges,
  createStateReader,
  type FlatState,
  parseState,
  type StateJson,
} from './support/flat-state.ts';
import { decodeTransactionBytes } from './support/state-test-transaction.ts';

type Call = {
  readonly type: string;
  readonly from: string;
  readonly to: string;
  readonly value?: string;
  readonly gas: string;
  readonly gasUsed: string;
  readonly input: string;
  readonly output?: string;
  readonly error?: string;
  readonly revertReason?: string;
  readonly calls?: readonly Call[];
};

type TraceTest = {
  readonly context: Readonly<Record<'number' | 'timestamp' | 'difficulty' | 'gasLimit' | 'miner', string>>;
  readonly genesis: { readonly config: Readonly<Record<string, unknown>>; readonly alloc: StateJson };
  /** RLP of the signed transaction, hex. */
  readonly input: string;
  readonly result: Call;
};

const FILES = 8;

/** Parses a chain config whose keys may be capitalised: the files come from a reader that equates `IstanbulBlock` and `istanbulBlock`. */
function readConfig(json: Readonly<Record<string, unknown>>): ReturnType<typeof parseChainConfig> {
  const uncapitalised = Object.entries(json).map(
    ([key, value]) => [`${key.charAt(0).toLowerCase()}${key.slice(1)}`, value] as const,
  );
  return parseChainConfig(Object.fromEntries(uncapitalised));
}

type Run = {
  readonly tx: Transaction;
  readonly execution: Execution;
  readonly before: FlatState;
  readonly after: FlatState;
};

async function run({ context, genesis, input }: TraceTest): Promise<Run> {
  const config = readConfig(genesis.config);
  const number = BigInt(context.number);
  const timestamp = BigInt(context.timestamp);
  const forks: readonly string[] = activeForks(config, { number, timestamp, isMerged: false });
  const before = parseState(genesis.alloc);
  const tx = decodeTransactionBytes(hexToBytes(input));
  const outcome = await executeTransaction({
    state: createStateReader(before),
    block: {
      number,
      timestamp,
      beneficiary: hexToBytes(context.miner),
      gasLimit: BigInt(context.gasLimit),
      difficulty: BigInt(context.difficulty),
      prevRandao: new Uint8Array(32),
      baseFeePerGas: undefined,
      excessBlobGas: undefined,
      getBlockHash: () => new Uint8Array(32),
    },
    chainId: config.chainId,
    revision: REVISIONS.findLast((name) => forks.includes(name)) as Revision,
    blobs: undefined,
    tx,
    sender: recoverSender(tx, recoverPublicKey),
  });
  if ('refused' in outcome) assert.fail(outcome.refused);
  return { tx, execution: outcome, before, after: applyChanges(before, outcome.changes) };
}

function describeError({ status, reason }: Execution): string | undefined {
  if (status === 'success') return undefined;
  return status === 'revert' ? 'execution reverted' : reason;
}

/** Moves value for every call of the tree that did not fail. */
function transfer(call: Call, move: (address: string, amount: bigint) => void): void {
  if (call.error !== undefined) return;
  const value = BigInt(call.value ?? '0x0');
  move(call.from, -value);
  move(call.to, value);
  for (const inner of call.calls ?? []) transfer(inner, move);
}

function balancesOf({ accounts }: FlatState): Map<string, bigint> {
  return new Map([...accounts].map(([address, { balance }]) => [address, balance]));
}

/** Computes the balances after the call tree and the payment for its gas, without zero balances. */
function expectBalances({ before, tx }: Run, { result, context }: TraceTest): Map<string, bigint> {
  const balances = balancesOf(before);
  const move = (address: string, amount: bigint): void => {
    balances.set(address, (balances.get(address) ?? 0n) + amount);
  };
  transfer(result, move);
  const fee = BigInt(result.gasUsed) * effectiveGasPrice(tx, undefined);
  move(result.from, -fee);
  move(context.miner, fee);
  return withoutZero(balances);
}

function withoutZero(balances: ReadonlyMap<string, bigint>): Map<string, bigint> {
  return new Map([...balances].filter(([, balance]) => balance !== 0n).sort());
}

function storageOf({ accounts }: FlatState): unknown[] {
  return [...accounts]
    .filter(([, { storage }]) => storage.size > 0)
    .map(([key, { storage }]) => [key, storage]);
}

const root = findVectors('tracetest');

describe('real transactions with their traces', { skip: root === undefined && SKIP_REASON }, () => {
  const files = root === undefined ? [] : readdirSync(root).filter((name) => name.endsWith('.json'));
  test('the set of files is complete', () => assert.equal(files.length, FILES));

  for (const file of files) {
    test(file.replace('.json', ''), async () => {
      const json = JSON.parse(readFileSync(join(root as string, file), 'utf8')) as TraceTest;
      const { result } = json;
      const done = await run(json);
      const { execution, tx, after, before } = done;

      assert.equal(bytesToHex(recoverSender(tx, recoverPublicKey)), result.from);
      assert.equal(bytesToHex(tx.data), result.input);
      assert.equal(tx.gasLimit, BigInt(result.gas));
      assert.equal(describeError(execution), result.error);
      assert.equal(execution.gasUsed, BigInt(result.gasUsed));
      assert.equal(bytesToHex(execution.output), result.output ?? '0x');
      if (result.revertReason !== undefined) {
        assert.equal(decodeRevertReason(bytesToHex(execution.output)), result.revertReason);
      }
      assert.deepEqual(withoutZero(balancesOf(after)), expectBalances(done, json));
      if (result.error !== undefined) assert.deepEqual(storageOf(after), storageOf(before));
      if (result.type === 'CREATE') {
        assert.deepEqual(after.accounts.get(result.to)?.codeHash, keccak256(execution.output));
      }
    });
  }
});
