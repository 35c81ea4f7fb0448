/** What calls touch: one of these is `touches` of each method. Parameters are as they were sent. */

import { decodeSentTransaction } from '../chain/sending/sent-transaction.ts';
import { bytesToHex, hexToBytes } from '../primitives/hex.ts';
import { countManyMembers } from '../primitives/parse-in-slices.ts';
import type { Touched } from '../rpc/method.ts';
import { limitOf } from '../util/bounds.ts';

type Touches = (rawParams: readonly unknown[]) => Touched;

const NONE: readonly unknown[] = [];
/** Beyond a recipient and as many authorizations a call is refused, whatever it touches. */
const MAX_RUN = limitOf('call.entries') + 1;

/** Of methods about the network, and about blocks and transactions as such: what every key may read. */
export const touchesNothing: Touches = () => NONE;

/** Of methods whose parameters the service does not know, and of those that answer with the storage of all contracts. */
export const touchesAnything: Touches = () => 'anything';

/** Of methods about the account in their first parameter. */
export const touchesAccount: Touches = ([address]) => [address];

/**
 * Methods that run the call in their first parameter touch its receiver, and the contracts whose code its authorizations put at other
 * accounts; a creation goes to no contract. Overrides of state or block (from the third parameter on) may put any code at any address.
 */
export const touchesCall: Touches = ([call, , ...overrides]) =>
  overrides.some(isGiven) ? 'anything' : (listRun([call], MAX_RUN) ?? 'anything');

/** An estimate on a rollup touches what a call does; its second parameter may be overrides, too. */
export const touchesEstimate: Touches = ([call, second, ...overrides]) =>
  touchesCall([call, undefined, typeof second === 'object' ? second : undefined, ...overrides]);

/** Methods with a filter for logs touch its addresses, as many as a filter may have; a filter without any means all contracts. */
export const touchesLogs: Touches = ([filter]) => {
  const address = readMember(filter, 'address');
  if (!Array.isArray(address)) return isGiven(address) ? [address] : 'anything';
  return address.length === 0 || address.length > limitOf('logs.values') ? 'anything' : address;
};

/** Of `eth_subscribe`: logs as `eth_getLogs`; blocks, and transactions as such, are for every key. */
export const touchesSubscription: Touches = ([kind, ...rest]) => (kind === 'logs' ? touchesLogs(rest) : NONE);

/** `eth_getStorageValues` touches the addresses that name the members of its first parameter, up to the bound on their number. */
export const touchesStorage: Touches = ([slots]) => {
  if (typeof slots !== 'object' || slots === null) return 'anything';
  return countManyMembers(slots) > limitOf('call.entries') ? 'anything' : Object.keys(slots);
};

/** `eth_simulateV1` touches what the calls of all blocks go to, as many as there may be; overrides count as in `touchesCall`. */
export const touchesSimulation: Touches = ([options]) => {
  const blocks = readList(options, 'blockStateCalls');
  if (blocks.length > limitOf('simulation.blocks')) return 'anything';
  const touched: unknown[] = [];
  for (const block of blocks) {
    if (isGiven(readMember(block, 'stateOverrides')) || isGiven(readMember(block, 'blockOverrides')))
      return 'anything';
    const run = listRun(readList(block, 'calls'), limitOf('simulation.calls') + MAX_RUN - touched.length);
    if (run === undefined) return 'anything';
    for (const address of run) touched.push(address);
  }
  return touched;
};

/** `eth_sendRawTransaction` touches the receiver of the transaction, and authorizations count as in a call; a creation has no receiver. */
export const touchesRecipient: Touches = ([raw]) => {
  if (typeof raw !== 'string' || !isHex(raw)) return 'anything';
  try {
    const { to, authorizationList } = decodeSentTransaction(hexToBytes(raw)).transaction;
    if (to === undefined) return 'anything';
    return [to, ...authorizationList.map(({ address }) => address)].map(bytesToHex);
  } catch (error) {
    if (error instanceof RangeError) return 'anything';
    throw error;
  }
};

/**
 * The recipients of call objects, and the contracts that their authorizations (EIP-7702) delegate accounts to.
 * @returns undefined where there are more than `most`: such a request is refused, and is not gone through for that
 */
function listRun(calls: readonly unknown[], most: number): readonly unknown[] | undefined {
  const run: unknown[] = [];
  for (const call of calls) {
    const authorizations = readList(call, 'authorizationList');
    if (run.length + 1 + authorizations.length > most) return undefined;
    run.push(readMember(call, 'to'));
    for (const entry of authorizations) run.push(readMember(entry, 'address'));
  }
  return run;
}

/** Whether text is whole bytes as hex data. */
function isHex(text: string): boolean {
  return text.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(text);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

function readList(value: unknown, name: string): readonly unknown[] {
  const list = readMember(value, name);
  return Array.isArray(list) ? list : NONE;
}
