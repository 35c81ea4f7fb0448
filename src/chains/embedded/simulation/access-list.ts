import type { AccessListItem } from '../../../../packages/ethereum/codecs/transaction.ts';
import { hashTransaction, recoverAuthority } from '../../../../packages/ethereum/codecs/transaction.ts';
import { createAddress, ZERO_ADDRESS } from '../../../../packages/ethereum/primitives/address.ts';
import { minBigInt } from '../../../../packages/ethereum/primitives/bigint.ts';
import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import type { HexData } from '../../../../packages/ethereum/primitives/hex-data.ts';
import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import { sortInSteps } from '../../../../packages/ethereum/primitives/sort-in-steps.ts';
import type { TransactionResult } from '../../../../packages/evm/transition/running-transaction.ts';
import { TransactionError } from '../../../../packages/evm/transition/transaction-error.ts';
import { ChainError } from '../../../chain/errors.ts';
import { encodeDataString, quantity } from '../../../chain/json-values.ts';
import type { CallObject } from '../../../chain/requests.ts';
import { getCryptography } from '../../../engine/node-cryptography.ts';
import { buildSimulatedCall } from './blocks/simulated-call.ts';
import { checkCall } from './check-call.ts';
import { advance, type Execution, runSteps } from './execution.ts';
import { fillFees } from './fill-fees.ts';
import { MAX_CALL_GAS, type Simulation } from './simulator.ts';

const MAX_NONCE = 2n ** 64n - 1n;
/** Maximum number of entries that one step reads, compares or encodes; in a sort, the maximum number of comparisons per step. */
const PIECE = 512;

const INCOMPLETE =
  'the access list does not converge: the accesses of the call change with the list; set another gas limit';

/** Slots by account, both as lower-case hex. */
type Accesses = Map<string, Set<string>>;

/**
 * Searches for an access list like geth: repeats the call with the accesses found so far, until a run adds no access.
 * @param gasLimit gas of each run if the call has no gas field
 * @param suggestedTip priority fee for a call that offers a price but no tip, wei per gas
 * @returns JSON of an object with `accessList`, `gasUsed`, and `error` if the call fails
 * @throws ChainError `failed` when the call cannot execute at all, or when the search runs in a cycle, in which geth would search until its time
 * limit
 */
export function* createAccessList(
  simulation: Simulation,
  gasLimit: bigint,
  suggestedTip: bigint,
): Execution<HexData> {
  const call = fillFees(simulation.call, simulation.block, simulation.rules, suggestedTip);
  if (call !== simulation.call) simulation.useCall(boundMaximum(call));
  const gas = minBigInt(call.gas === undefined ? gasLimit : BigInt(call.gas), MAX_CALL_GAS);
  checkCall(call, simulation.rules.chainId);
  const sender = call.from === undefined ? ZERO_ADDRESS : hexToBytes(call.from);
  const nonce = call.nonce === undefined ? simulation.getNonce(sender) : BigInt(call.nonce);
  const target = call.to === undefined ? createAddress(sender, nonce) : hexToBytes(call.to);
  const excluded = new Set([bytesToHex(sender), bytesToHex(target)]);
  for (const authority of listAuthorities(simulation)) {
    excluded.add(bytesToHex(authority));
    yield 'sliceUsed';
  }
  const isExcluded = (address: string): boolean =>
    excluded.has(address) || simulation.isPrecompile(hexToBytes(address));
  let known = yield* collectProvided(simulation.lists.accessList, isExcluded);
  // The result of a run depends only on its access list, so a list that occurs twice means an endless cycle (Brent's cycle detection).
  let earlier = known;
  for (let rounds = 0, next = 1; ; rounds++) {
    const accessList = yield* sortAccesses(known);
    simulation.useAccessList(accessList);
    const result = yield* runOnce(simulation, call, { gas, accessList, nonce });
    const found = yield* collectProvided(accessList, isExcluded);
    yield* collectRecorded(simulation, found, isExcluded);
    if (yield* areEqual(found, known)) return yield* encodeResult(accessList, result);
    known = found;
    if (yield* areEqual(known, earlier)) throw new ChainError('failed', INCOMPLETE);
    if (rounds === next) {
      earlier = known;
      next = 2 * rounds;
    }
    yield 'sliceUsed';
  }
}

/** Truncates the `maxFeePerGas` that `fillFees` has computed to its lower 256 bits, as geth does before execution. */
function boundMaximum(call: CallObject): CallObject {
  const { maxFeePerGas } = call;
  if (maxFeePerGas === undefined) return call;
  return { ...call, maxFeePerGas: encodeQuantity(BigInt.asUintN(256, BigInt(maxFeePerGas))) };
}

type Run = {
  readonly gas: bigint;
  readonly accessList: readonly AccessListItem[];
  readonly nonce: bigint;
};

/** @param priced the call with all fees; error texts contain its transaction hash */
function* runOnce(
  simulation: Simulation,
  priced: CallObject,
  { gas, accessList, nonce }: Run,
): Execution<TransactionResult> {
  while (!simulation.undoRunPiece()) yield 'sliceUsed';
  simulation.record('accesses');
  const call = { ...priced, accessList: [] };
  try {
    const running = simulation.start(gas);
    for (let pause = advance(running); pause !== undefined; pause = advance(running)) yield pause;
    simulation.noteEnd(running);
    return running.finish();
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    const { rules, block } = simulation;
    const { baseFeePerGas } = block;
    const lists = { ...simulation.lists, accessList };
    const place = { nonce, gasLimit: gas, baseFeePerGas, rules, defaultType: 0 } as const;
    const hash = bytesToHex(hashTransaction(buildSimulatedCall(call, lists, place).transaction));
    throw new ChainError('failed', `failed to apply transaction: ${hash} err: ${error.message}`);
  }
}

/** Yields the signers of all authorizations with a valid signature, a chain id that is 0 or matches, and a nonce below the maximum (EIP-7702). */
function* listAuthorities({ lists, rules }: Simulation): Generator<Uint8Array> {
  const { recoverPublicKey } = getCryptography();
  for (const authorization of lists.authorizationList) {
    const { chainId, nonce } = authorization;
    if ((chainId !== 0n && chainId !== rules.chainId) || nonce === MAX_NONCE) continue;
    try {
      yield recoverAuthority(authorization, recoverPublicKey);
    } catch {
      // An authorization with an unrecoverable signature is skipped (EIP-7702).
    }
  }
}

function* collectProvided(
  list: readonly AccessListItem[],
  isExcluded: (address: string) => boolean,
): Execution<Accesses> {
  const accesses: Accesses = new Map();
  let count = 0;
  for (const { address, storageKeys } of list) {
    if (++count % PIECE === 0) yield 'sliceUsed';
    const key = bytesToHex(address);
    if (isExcluded(key)) continue;
    const slots = accesses.get(key) ?? new Set();
    accesses.set(key, slots);
    for (const slot of storageKeys) {
      slots.add(bytesToHex(slot));
      if (++count % PIECE === 0) yield 'sliceUsed';
    }
  }
  return accesses;
}

/** Adds the accesses that the last run recorded. As in geth, an excluded account is listed if one of its slots was accessed. */
function* collectRecorded(
  simulation: Simulation,
  accesses: Accesses,
  isExcluded: (address: string) => boolean,
): Execution<void> {
  let count = 0;
  for (let access = simulation.takeAccess(); access !== undefined; access = simulation.takeAccess()) {
    const key = bytesToHex(access.address);
    if (access.slot !== undefined || !isExcluded(key)) {
      const slots = accesses.get(key) ?? new Set();
      accesses.set(key, slots);
      if (access.slot !== undefined) slots.add(bytesToHex(access.slot));
    }
    if (++count % PIECE === 0) yield 'sliceUsed';
  }
}

const inOrder = (a: string, b: string): number => (a < b ? -1 : 1);

function* sortAccesses(accesses: Accesses): Execution<AccessListItem[]> {
  const list: AccessListItem[] = [];
  let count = 0;
  for (const address of yield* runSteps(sortInSteps([...accesses.keys()], inOrder, PIECE))) {
    const slots = [...(accesses.get(address) ?? [])];
    const storageKeys: Uint8Array[] = [];
    for (const slot of yield* runSteps(sortInSteps(slots, inOrder, PIECE))) {
      storageKeys.push(hexToBytes(slot));
      if (++count % PIECE === 0) yield 'sliceUsed';
    }
    list.push({ address: hexToBytes(address), storageKeys });
    if (++count % PIECE === 0) yield 'sliceUsed';
  }
  return list;
}

function* areEqual(a: Accesses, b: Accesses): Execution<boolean> {
  if (a.size !== b.size) return false;
  let count = 0;
  for (const [address, slots] of a) {
    if (++count % PIECE === 0) yield 'sliceUsed';
    const others = b.get(address);
    if (others?.size !== slots.size) return false;
    for (const slot of slots) {
      if (!others.has(slot)) return false;
      if (++count % PIECE === 0) yield 'sliceUsed';
    }
  }
  return true;
}

function* encodeResult(
  list: readonly AccessListItem[],
  { status, reason, gasUsed }: TransactionResult,
): Execution<string> {
  let text = '{"accessList":[';
  let count = 0;
  for (const [index, { address, storageKeys }] of list.entries()) {
    text += `${index === 0 ? '' : ','}{"address":${encodeDataString(address)},"storageKeys":[`;
    for (const [at, slot] of storageKeys.entries()) {
      text += at === 0 ? encodeDataString(slot) : `,${encodeDataString(slot)}`;
      if (++count % PIECE === 0) yield 'sliceUsed';
    }
    text += ']}';
    if (++count % PIECE === 0) yield 'sliceUsed';
  }
  const message = status === 'revert' ? 'execution reverted' : reason;
  const error = status === 'success' ? '' : `"error":${JSON.stringify(message)},`;
  return `${text}],${error}"gasUsed":${quantity(gasUsed)}}`;
}
