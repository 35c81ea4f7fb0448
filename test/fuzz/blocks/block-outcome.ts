/** Outcome of a block, and comparison of two outcomes. */

import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { decodeRlp, type RlpItem } from '../../../packages/ethereum/primitives/rlp.ts';
import type { AddressText, FuzzAccount } from '../fuzz-case.ts';
import { compareAccounts } from '../outcome.ts';

export type ReceiptOutcome = {
  readonly status: bigint;
  readonly gasUsed: bigint;
  readonly cumulativeGasUsed: bigint;
  /** `address topics data`, in hex. */
  readonly logs: readonly string[];
};

export type BlockOutcome = {
  /** Refusals and failures have the oracle's own messages: only their presence is compared. */
  readonly hasOwnReasons?: boolean;
  /** Reason for which the whole block is invalid; no other field counts then. */
  readonly failure?: string;
  /** Reasons by index of the transactions that are invalid in the block; they are left out. */
  readonly rejected: ReadonlyMap<number, string>;
  readonly receipts: readonly ReceiptOutcome[];
  /** Gas used, as in the header. */
  readonly gasUsed: bigint;
  /** The two sums of which `gasUsed` is the larger one (EIP-8037); undefined where the oracle does not report them. */
  readonly executionGasUsed?: bigint;
  readonly stateGasUsed?: bigint;
  readonly requestsHash: string | undefined;
  /** RLP as hex (EIP-7928); undefined before Amsterdam. */
  readonly accessList: string | undefined;
  readonly accounts: ReadonlyMap<AddressText, FuzzAccount>;
};

export const failedBlock = (failure: string, hasOwnReasons = false): BlockOutcome => ({
  failure,
  hasOwnReasons,
  rejected: new Map(),
  receipts: [],
  gasUsed: 0n,
  requestsHash: undefined,
  accessList: undefined,
  accounts: new Map(),
});

function differ(what: string, expected: unknown, actual: unknown): string | undefined {
  return expected === actual ? undefined : `${what}: expected ${expected}, got ${actual}`;
}

function compareSum(
  what: string,
  expected: bigint | undefined,
  actual: bigint | undefined,
): string | undefined {
  return expected === undefined ? undefined : differ(what, expected, actual);
}

function compareReceipt(index: number, expected: ReceiptOutcome, actual: ReceiptOutcome): string | undefined {
  const of = `of receipt ${index}`;
  const count = Math.max(expected.logs.length, actual.logs.length);
  let logs: string | undefined;
  for (let i = 0; i < count && logs === undefined; i++) {
    logs = differ(`log ${i} ${of}`, expected.logs[i], actual.logs[i]);
  }
  return (
    differ(`status ${of}`, expected.status, actual.status) ??
    differ(`gas used ${of}`, expected.gasUsed, actual.gasUsed) ??
    differ(`cumulative gas ${of}`, expected.cumulativeGasUsed, actual.cumulativeGasUsed) ??
    logs
  );
}

const show = (item: RlpItem | undefined): string =>
  item === undefined
    ? 'nothing'
    : item instanceof Uint8Array
      ? bytesToHex(item)
      : `[${item.map(show).join(' ')}]`;

const PARTS = [
  'address',
  'storage changes',
  'storage reads',
  'balance changes',
  'nonce changes',
  'code changes',
];

/** Finds the first entry in which two lists differ, and its differing part. */
function compareAccessLists(expected: string | undefined, actual: string | undefined): string | undefined {
  if (expected === actual) return undefined;
  if (expected === undefined || actual === undefined) return differ('access list', expected, actual);
  const [want, have] = [expected, actual].map(
    (text) =>
      new Map(
        (decodeRlp(hexToBytes(text)) as RlpItem[]).map((entry) => [
          show((entry as RlpItem[])[0]),
          entry as RlpItem[],
        ]),
      ),
  ) as [Map<string, RlpItem[]>, Map<string, RlpItem[]>];
  for (const address of [...new Set([...want.keys(), ...have.keys()])].sort()) {
    const [a, b] = [want.get(address), have.get(address)];
    if (a === undefined || b === undefined) {
      const [which, entry] = a === undefined ? ['unexpected', b] : ['missing', a];
      return `access list entry ${which}: ${show(entry)}`;
    }
    for (const [part, name] of PARTS.entries()) {
      const difference = differ(`access list, ${name} of ${address}`, show(a[part]), show(b[part]));
      if (difference !== undefined) return difference;
    }
  }
  return differ('access list bytes', expected, actual);
}

/** @param isOwn whether the expected reason has the oracle's own wording */
function compareReasons(
  what: string,
  expected: string | undefined,
  actual: string | undefined,
  isOwn = false,
): string | undefined {
  return isOwn && expected !== undefined && actual !== undefined ? undefined : differ(what, expected, actual);
}

function compareRejected(
  { rejected: expected, hasOwnReasons }: BlockOutcome,
  { rejected: actual }: BlockOutcome,
): string | undefined {
  for (const index of [...new Set([...expected.keys(), ...actual.keys()])].sort((a, b) => a - b)) {
    const difference = compareReasons(
      `refusal of transaction ${index}`,
      expected.get(index),
      actual.get(index),
      hasOwnReasons,
    );
    if (difference !== undefined) return difference;
  }
  return undefined;
}

/** Describes the first difference between two outcomes; undefined when there is none. */
export function compareBlockOutcomes(expected: BlockOutcome, actual: BlockOutcome): string | undefined {
  if (expected.failure !== undefined || actual.failure !== undefined) {
    return compareReasons('failure of the block', expected.failure, actual.failure, expected.hasOwnReasons);
  }
  const rejected = compareRejected(expected, actual);
  if (rejected !== undefined) return rejected;
  for (const [index, receipt] of expected.receipts.entries()) {
    const other = actual.receipts[index];
    if (other === undefined) return `receipt ${index}: missing`;
    const difference = compareReceipt(index, receipt, other);
    if (difference !== undefined) return difference;
  }
  return (
    differ('number of receipts', expected.receipts.length, actual.receipts.length) ??
    differ('gas used of the block', expected.gasUsed, actual.gasUsed) ??
    compareSum('execution gas of the block', expected.executionGasUsed, actual.executionGasUsed) ??
    compareSum('state gas of the block', expected.stateGasUsed, actual.stateGasUsed) ??
    compareAccounts(expected.accounts, actual.accounts) ??
    differ('requests hash', expected.requestsHash, actual.requestsHash) ??
    compareAccessLists(expected.accessList, actual.accessList)
  );
}
