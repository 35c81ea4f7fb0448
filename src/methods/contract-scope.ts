/**
 * Contract scopes of methods: the addresses that a call may use, read from its unparsed parameters. `ScopeReader` is the type of each method's
 * `contractScope`.
 */

import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { countManyMembers } from '../../packages/ethereum/primitives/parse-in-slices.ts';
import { decodeSentTransaction } from '../chain/sending/sent-transaction.ts';
import type { ContractScope } from '../rpc/method.ts';
import { limitOf } from '../util/bounds.ts';

type ScopeReader = (rawParams: readonly unknown[]) => ContractScope;

const NONE: readonly unknown[] = [];
/**
 * Maximum addresses of one call: its recipient, and one per authorization up to `call.entries`. The parser rejects a call with more addresses, so
 * further addresses need no check here.
 */
const MAX_RUN = limitOf('call.entries') + 1;

/** Scope of methods that read the network, whole blocks or transactions. Keys that are bound to contracts may call methods with this scope, too. */
export const scopeOfNothing: ScopeReader = () => NONE;

/** Scope of methods whose parameters the service does not know, and of methods that return storage of all contracts. */
export const scopeOfAnything: ScopeReader = () => 'anything';

/** Scope of methods that read the account in their first parameter. */
export const scopeOfAccount: ScopeReader = ([address]) => [address];

/**
 * Scope of methods that execute the call in their first parameter. The scope is the recipient, and the contracts to which the call's authorizations
 * delegate accounts. A contract creation has no recipient. State or block overrides, from the third parameter on, may put any code at any address. A
 * call with overrides therefore has the scope `anything`.
 */
export const scopeOfCall: ScopeReader = ([call, , ...overrides]) =>
  overrides.some(isPresent) ? 'anything' : (listRun([call], MAX_RUN) ?? 'anything');

/** Scope of a rollup estimate. The rules of `scopeOfCall` apply, but the second parameter may be state overrides too. */
export const scopeOfEstimate: ScopeReader = ([call, second, ...overrides]) =>
  scopeOfCall([call, undefined, typeof second === 'object' ? second : undefined, ...overrides]);

/**
 * Scope of methods with a log filter: the filter's addresses. A filter without addresses, or with more than `logs.values`, has the scope `anything`.
 */
export const scopeOfLogs: ScopeReader = ([filter]) => {
  const address = readMember(filter, 'address');
  if (!Array.isArray(address)) return isPresent(address) ? [address] : 'anything';
  return address.length === 0 || address.length > limitOf('logs.values') ? 'anything' : address;
};

/**
 * Contract scope of a call of `eth_subscribe`. A `logs` subscription has the scope of `eth_getLogs`. Every key may subscribe to blocks and
 * transactions.
 */
export const scopeOfSubscription: ScopeReader = ([kind, ...rest]) =>
  kind === 'logs' ? scopeOfLogs(rest) : NONE;

/**
 * Scope of `eth_getStorageValues`: the addresses, or `anything` for more than `call.entries`. The addresses are the member names of the first
 * parameter.
 */
export const scopeOfStorage: ScopeReader = ([slots]) => {
  if (typeof slots !== 'object' || slots === null) return 'anything';
  return countManyMembers(slots) > limitOf('call.entries') ? 'anything' : Object.keys(slots);
};

/**
 * Scope of `eth_simulateV1`: the contract scopes of the calls of all blocks, or `anything` above the limits of a simulation. Any override makes the
 * scope `anything`, as in `scopeOfCall`.
 */
export const scopeOfSimulation: ScopeReader = ([options]) => {
  const blocks = readList(options, 'blockStateCalls');
  if (blocks.length > limitOf('simulation.blocks')) return 'anything';
  const touched: unknown[] = [];
  for (const block of blocks) {
    if (isPresent(readMember(block, 'stateOverrides')) || isPresent(readMember(block, 'blockOverrides')))
      return 'anything';
    const run = listRun(readList(block, 'calls'), limitOf('simulation.calls') + MAX_RUN - touched.length);
    if (run === undefined) return 'anything';
    for (const address of run) touched.push(address);
  }
  return touched;
};

/**
 * Scope of `eth_sendRawTransaction`: the recipient, and the contracts to which authorizations delegate accounts. A contract creation has no
 * recipient, so its scope is `anything`.
 */
export const scopeOfRecipient: ScopeReader = ([raw]) => {
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
 * Returns the recipients of call objects, and the contracts to which their authorizations (EIP-7702) delegate accounts.
 * @returns undefined for more than `most` addresses. A request with more addresses is rejected when it is parsed, so its remaining calls are not
 * scanned.
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

/** Whether a text is `0x` followed by an even number of hex digits. */
function isHex(text: string): boolean {
  return text.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(text);
}

function isPresent(value: unknown): boolean {
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
