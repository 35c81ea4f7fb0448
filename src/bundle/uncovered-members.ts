/** Lists the members of answers that the block hash covers. All members outside of the lists have no evidence. */

import type { RlpWriter } from '../../packages/ethereum/primitives/rlp-writer.ts';
import { findTransactionForm } from '../../packages/proofs/encode-transaction.ts';
import type { Members } from '../../packages/proofs/findings.ts';
import { isMembers } from '../../packages/proofs/members.ts';
import { deriveContract, type VerifiedFacts } from '../../packages/proofs/verify-transaction.ts';

/** Members that name the block of a transaction, receipt or log, and its index in the block. */
const PLACE = ['blockHash', 'blockNumber', 'blockTimestamp', 'transactionIndex'];
const RECEIPT = [
  ...PLACE,
  'transactionHash',
  'to',
  'cumulativeGasUsed',
  'gasUsed',
  'logsBloom',
  'type',
  'logs',
  'blobGasUsed',
];
const LOG = [...PLACE, 'transactionHash', 'address', 'topics', 'data', 'logIndex', 'removed'];
const ACCESS = ['address', 'storageKeys'];
const AUTHORIZATION = ['chainId', 'address', 'nonce', 'yParity', 'r', 's'];
const ROOT = /^0x[0-9a-f]{64}$/;
const DEPOSIT_TYPE = 0x7e;

/** Members for which null is a value that is verified. Any other member with the value null counts as absent, and is not covered by evidence. */
const NULLABLE: ReadonlySet<string> = new Set(['to', 'contractAddress']);

/** Set of the names of uncovered members. */
export class UncoveredMembers {
  readonly #names = new Set<string>();

  /** Adds the uncovered members of an object. @param prefix path of the object in the answer, put before the names of its members */
  note(prefix: string, object: Members, covered: ReadonlySet<string>): void {
    for (const [name, value] of Object.entries(object)) {
      if (!covered.has(name) || (value === null && !NULLABLE.has(name))) this.#names.add(`${prefix}${name}`);
    }
  }

  get list(): string[] {
    return [...this.#names].sort();
  }
}

/** Adds the members of a verified receipt that do not follow from the data of its block. */
export function noteReceipt(
  told: UncoveredMembers,
  receipt: Members,
  facts: VerifiedFacts,
  writer: RlpWriter,
): void {
  const { root, logs, depositReceiptVersion } = receipt;
  const covered = new Set(RECEIPT);
  covered.add(typeof root === 'string' && ROOT.test(root) ? 'root' : 'status');
  if (facts.from !== undefined) covered.add('from');
  if (facts.gasPrice !== undefined) covered.add('effectiveGasPrice');
  if (facts.to !== null || deriveContract(facts, writer) !== undefined) covered.add('contractAddress');
  if (facts.type === DEPOSIT_TYPE && depositReceiptVersion != null)
    for (const name of ['depositReceiptVersion', 'depositNonce']) covered.add(name);
  told.note('[].', receipt, covered);
  const ofLog = new Set(LOG);
  for (const log of logs as readonly Members[]) told.note('[].logs[].', log, ofLog);
}

/** Adds the members of a verified transaction that do not follow from the data of its block. */
export function noteTransaction(
  told: UncoveredMembers,
  transaction: Members,
  { gasPrice, from }: VerifiedFacts,
): void {
  const form = findTransactionForm(transaction);
  const covered = new Set([...PLACE, 'hash', 'type']);
  for (const { members } of form?.fields ?? [])
    covered.add(members.find((name) => transaction[name] != null) ?? (members[0] as string));
  // The members `input` and `data` have the same value, and were compared with each other.
  for (const name of ['input', 'data']) covered.add(name);
  if (form?.signed !== undefined) for (const name of ['v', 'yParity']) covered.add(name);
  if (from !== undefined) covered.add('from');
  if (gasPrice !== undefined) covered.add('gasPrice');
  if (form?.type === undefined && isProtected(transaction)) covered.add('chainId');
  told.note('', transaction, covered);
  noteEntries(told, transaction, 'accessList', ACCESS);
  noteEntries(told, transaction, 'authorizationList', AUTHORIZATION);
}

function noteEntries(
  told: UncoveredMembers,
  transaction: Members,
  list: string,
  names: readonly string[],
): void {
  const entries = transaction[list];
  if (!Array.isArray(entries)) return;
  const covered = new Set(names);
  for (const entry of entries) if (isMembers(entry)) told.note(`${list}[].`, entry, covered);
}

/** Returns whether a legacy transaction has replay protection (EIP-155). */
function isProtected({ v }: Members): boolean {
  return typeof v === 'string' && BigInt(v) >= 35n;
}
