import type { Log } from '../../packages/ethereum/codecs/receipt.ts';
import { bytesEqual } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import type { AddressText, FuzzAccount } from './fuzz-case.ts';

/** Outcome of a case in an engine. */
export type Outcome = {
  /** `rejected`: the transaction is invalid, and no other field counts. Halt reasons are not compared. */
  readonly status: 'success' | 'revert' | 'halt' | 'rejected';
  /** Return data, revert data or the created contract's code; empty after a halt. */
  readonly output: Uint8Array;
  /** Message: gas of the execution. Transaction: gas charged, after refunds and floor. */
  readonly gasUsed: bigint;
  /** Message: the refund counter, uncapped; 0 unless successful. Transaction: undefined. */
  readonly refund: bigint | undefined;
  readonly logs: readonly Log[];
  /** Every account that exists afterwards. */
  readonly accounts: ReadonlyMap<AddressText, FuzzAccount>;
};

const NO_LOGS: readonly Log[] = [];

export const REJECTED: Outcome = {
  status: 'rejected',
  output: new Uint8Array(0),
  gasUsed: 0n,
  refund: undefined,
  logs: NO_LOGS,
  accounts: new Map(),
};

function differ(what: string, expected: unknown, actual: unknown): string | undefined {
  return expected === actual ? undefined : `${what}: expected ${expected}, got ${actual}`;
}

function differInBytes(what: string, expected: Uint8Array, actual: Uint8Array): string | undefined {
  if (expected === actual || bytesEqual(expected, actual)) return undefined;
  return `${what}: expected ${bytesToHex(expected)}, got ${bytesToHex(actual)}`;
}

function compareLogs(expected: readonly Log[], actual: readonly Log[]): string | undefined {
  for (let i = 0; i < Math.min(expected.length, actual.length); i++) {
    const [a, b] = [expected[i] as Log, actual[i] as Log];
    const difference =
      differInBytes(`address of log ${i}`, a.address, b.address) ??
      differ(`topics of log ${i}`, a.topics.map(bytesToHex).join(), b.topics.map(bytesToHex).join()) ??
      differInBytes(`data of log ${i}`, a.data, b.data);
    if (difference !== undefined) return difference;
  }
  return differ('number of logs', expected.length, actual.length);
}

function compareStorage(
  address: AddressText,
  expected: FuzzAccount['storage'],
  actual: FuzzAccount['storage'],
): string | undefined {
  for (const slot of new Set([...expected.keys(), ...actual.keys()])) {
    const what = `slot 0x${slot.toString(16)} of ${address}`;
    const difference = differ(what, expected.get(slot) ?? 0n, actual.get(slot) ?? 0n);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function compareAccount(
  address: AddressText,
  expected: FuzzAccount | undefined,
  actual: FuzzAccount | undefined,
): string | undefined {
  if (expected === undefined || actual === undefined) {
    return differ(`existence of ${address}`, expected !== undefined, actual !== undefined);
  }
  return (
    differ(`nonce of ${address}`, expected.nonce, actual.nonce) ??
    differ(`balance of ${address}`, expected.balance, actual.balance) ??
    differInBytes(`code of ${address}`, expected.code, actual.code) ??
    compareStorage(address, expected.storage, actual.storage)
  );
}

/** Describes the first difference between two states; undefined when there is none. */
export function compareAccounts(
  expected: Outcome['accounts'],
  actual: Outcome['accounts'],
): string | undefined {
  for (const address of new Set([...expected.keys(), ...actual.keys()])) {
    const found = compareAccount(address, expected.get(address), actual.get(address));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Describes the first difference between two outcomes; undefined when there is none. */
export function compareOutcomes(expected: Outcome, actual: Outcome): string | undefined {
  const difference = differ('status', expected.status, actual.status);
  if (difference !== undefined || expected.status === 'rejected') return difference;
  const results =
    differ('gas used', expected.gasUsed, actual.gasUsed) ??
    differ('refund counter', expected.refund, actual.refund) ??
    differInBytes('output', expected.output, actual.output) ??
    compareLogs(expected.logs, actual.logs);
  return results ?? compareAccounts(expected.accounts, actual.accounts);
}
