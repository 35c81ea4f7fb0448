import { isDeepStrictEqual } from 'node:util';
import { listDifferences, type Path } from './json-changes.ts';
import type { Reply } from './lied-network.ts';
import type { AskedQuestion } from './questions.ts';
import { MAY_BE_ABSENT, type ObjectKind, UNCOVERED, UNCOVERED_FEES } from './uncovered.ts';

/**
 * `truth`: the client got the true answer. `refused`: an error. `told`: a changed member that no root covers, or a changed answer of a
 * method that is not verified, not marked as verified. `unproven`: a changed answer of the only node, not marked as verified. `missed`: all
 * others.
 */
export type Verdict = 'truth' | 'refused' | 'told' | 'unproven' | 'missed';

/** Members that differ, where all of them are uncovered; the error where it is refused. */
export type Judgement = { readonly verdict: Verdict; readonly members: readonly string[] };

const HASH = /^0x[0-9a-f]{64}$/;
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;
const LISTS: Readonly<Record<string, ObjectKind>> = {
  transactions: 'transaction',
  withdrawals: 'withdrawal',
  logs: 'log',
};

/** Members that a pending transaction lacks. */
const PLACE: ReadonlySet<string> = new Set([
  'transaction.blockHash',
  'transaction.blockNumber',
  'transaction.blockTimestamp',
  'transaction.transactionIndex',
]);
/** Gas price: the fee cap of a pending transaction, the paid price of a mined one. */
const PRICE = 'transaction.gasPrice';

/** Numbers of a signature: some clients write them as 32 bytes. */
const NUMBERS = /\.[rs]$/;

/**
 * `isAlone`: no node tells the truth, and nothing has to be verified. `isSampled`: only some senders of a whole block are recovered.
 * `hasUncoveredFees`: as in the chain's `Truth`.
 */
export type Circumstances = {
  readonly isAlone: boolean;
  readonly isSampled: boolean;
  readonly hasUncoveredFees: boolean;
};

export function check(
  request: AskedQuestion,
  truth: Reply,
  reply: Reply,
  { isAlone, isSampled, hasUncoveredFees }: Circumstances,
): Judgement {
  if ('error' in reply) return { verdict: 'refused', members: [reply.error] };
  const want = 'error' in truth ? undefined : truth.value;
  if (isDeepStrictEqual(reply.value, want)) return { verdict: 'truth', members: [] };
  const differences = listDifferences(reply.value, want)
    .map((path) => ({
      name: nameOf(path, request.of) + describeType(readAt(want, path.slice(0, -1)), String(path.at(-1))),
      have: readAt(reply.value, path),
      want: readAt(want, path),
    }))
    .filter((each) => !(NUMBERS.test(each.name) && isSameNumber(each.have, each.want)))
    .map(({ name, have }) => ({ name, have, isAbsent: have == null }));
  if (differences.length === 0) return { verdict: 'truth', members: [] };
  const members = [...new Set(differences.map(({ name }) => name))];
  // A node may still report a mined transaction as pending.
  const isWaiting =
    request.method === 'eth_getTransactionByHash' && readAt(reply.value, ['blockHash']) == null;
  if (isWaiting && reply.trust !== 'proven' && differences.every((each) => isOfWaiting(each, reply.value)))
    return { verdict: 'told', members: ['a transaction that waits'] };
  const isOfList = Array.isArray(readAt(want, ['transactions']));
  const isUncovered = ({ name, isAbsent }: { readonly name: string; readonly isAbsent: boolean }): boolean =>
    (isSampled && isOfList && name === 'transaction.from' && !isAbsent) ||
    name in UNCOVERED ||
    (hasUncoveredFees && name in UNCOVERED_FEES) ||
    (isAbsent && name in MAY_BE_ABSENT);
  if (differences.every(isUncovered)) return { verdict: 'told', members };
  // No root covers absence, except for a block by number, which is known to exist. For an absent encoded transaction geth answers `0x`.
  const isEmpty = /getRawTransaction/.test(request.method) && reply.value === '0x';
  const isNull = (reply.value === null || isEmpty) && HASH.test(String(request.params[0]));
  if (isNull && reply.trust !== 'proven') return { verdict: 'told', members: [`null of ${request.method}`] };
  if (!request.isCovered)
    return { verdict: reply.trust === 'proven' ? 'missed' : 'told', members: [request.method] };
  if (isAlone && reply.trust !== 'proven') return { verdict: 'unproven', members };
  return { verdict: 'missed', members: [...members, `called ${reply.trust}`] };
}

/** Whether a pending transaction may differ in this member from the same one in its block. */
function isOfWaiting(
  { name, have, isAbsent }: { readonly name: string; readonly have: unknown; readonly isAbsent: boolean },
  transaction: unknown,
): boolean {
  return isAbsent
    ? PLACE.has(name)
    : name === PRICE && isDeepStrictEqual(have, readAt(transaction, ['maxFeePerGas']));
}

function isSameNumber(one: unknown, other: unknown): boolean {
  const isHex = (value: unknown): value is string => typeof value === 'string' && /^0x[0-9a-f]+$/.test(value);
  return isHex(one) && isHex(other) && BigInt(one) === BigInt(other);
}

function readAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => Object(at)[key], value);
}

/** `v` of a signature without EIP-155. */
const UNPROTECTED = /^0x1[bc]$/;
const MAY_BE_NULL: ReadonlySet<string> = new Set(['accessList', 'withdrawals']);

/**
 * Suffix for a member that the transaction's type does not hash, or that hashes alike when it is zero and absent, or an empty list and
 * null; empty for any other. @param object the true one
 */
function describeType(object: unknown, member: string): string {
  const members = Object(object) as Readonly<Record<string, unknown>>;
  const { sourceHash, mint, from, v, r, s } = members;
  if (member === 'nonce' && typeof sourceHash === 'string') return ' of a deposit';
  if (member === 'chainId' && UNPROTECTED.test(String(v))) return ' of no replay protection';
  if (member === 'from' && from === ZERO_ADDRESS) return ' of no one';
  if (member === 'mint' && mint === '0x0') return ' of zero';
  const list = members[member];
  if (MAY_BE_NULL.has(member) && Array.isArray(list) && list.length === 0) return ' of none';
  return (member === 'r' || member === 's') && r === '0x0' && s === '0x0' ? ' of no signature' : '';
}

/** Name of a member, `transaction.from`: the kind of object follows from the list that contains it. */
function nameOf(path: Path, of: ObjectKind): string {
  const names = path.filter((key) => Number.isNaN(Number(key))).map(String);
  const list = names.slice(0, -1).findLast((name) => name in LISTS);
  return `${list === undefined ? of : LISTS[list]}.${names.at(-1) ?? 'whole'}`;
}
