import { ChainError } from '../../chain/errors.ts';
import { GAS_PER_BLOB } from '../../chain/transaction.ts';
import { isOutOfGas } from '../../evm/status.ts';
import { ZERO_ADDRESS } from '../../primitives/address.ts';
import { minBigInt } from '../../primitives/bigint.ts';
import { hexToBytes } from '../../primitives/hex.ts';
import type { TransactionResult } from '../transition/running-transaction.ts';
import { TransactionError } from '../transition/transaction-error.ts';
import { toChainError } from './execute-call.ts';
import { advance, type Execution } from './execution.ts';
import { GasSearch } from './gas-search.ts';
import { MAX_CALL_GAS, type Simulation } from './simulator.ts';

const TRANSFER_GAS = 21_000n;

/** One try: it went through, or it did not (undefined: not even the intrinsic gas was there). */
type Attempt = { readonly succeeded: boolean; readonly result: TransactionResult | undefined };

function* attempt(simulation: Simulation, gasLimit: bigint): Execution<Attempt> {
  try {
    while (!simulation.undoRunPiece()) yield 'sliceUsed';
    const running = simulation.start(gasLimit);
    for (let pause = advance(running); pause !== undefined; pause = advance(running)) yield pause;
    simulation.noteEnd(running);
    const result = running.finish();
    return { succeeded: result.status === 'success', result };
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    if (error.problem === 'intrinsicGas') return { succeeded: false, result: undefined };
    throw new ChainError('failed', `failed with ${gasLimit} gas: ${error.message}`);
  }
}

/** The most gas worth trying: what was asked for or a block holds, and what the sender can pay. */
function findUpperBound(simulation: Simulation, gasCap: bigint): bigint {
  const { call, environment } = simulation;
  const asked = call.gas === undefined ? 0n : BigInt(call.gas);
  let bound = asked >= TRANSFER_GAS ? asked : environment.block.gasLimit;
  bound = minBigInt(bound, environment.boundRules.transactionGasCap ?? bound);
  bound = minBigInt(bound, findAllowance(simulation) ?? bound);
  return minBigInt(bound, minBigInt(gasCap, MAX_CALL_GAS));
}

/** The most gas that the sender can pay at the price offered; undefined where no price is. */
function findAllowance(simulation: Simulation): bigint | undefined {
  const { call, environment, feeCap } = simulation;
  if (feeCap === 0n) return undefined;
  const value = BigInt(call.value ?? 0);
  let available = simulation.getBalance(call.from === undefined ? ZERO_ADDRESS : hexToBytes(call.from));
  if (value >= available) throw new ChainError('failed', 'insufficient funds for transfer');
  available -= value;
  const blobs = BigInt(call.blobVersionedHashes?.length ?? 0);
  if (environment.boundRules.hasBlobs && blobs > 0n) {
    // geth computes in 256 bits, and does not look whether that is enough here.
    const cost = BigInt.asUintN(256, blobs * GAS_PER_BLOB * BigInt(call.maxFeePerBlobGas ?? 0));
    if (cost >= available) throw new ChainError('failed', 'insufficient funds for gas * price + value');
    available -= cost;
  }
  return available / feeCap;
}

function isPlainTransfer(simulation: Simulation): boolean {
  const { call } = simulation;
  const data = call.input ?? call.data ?? '0x';
  return data === '0x' && call.to !== undefined && !simulation.hasCode(hexToBytes(call.to));
}

/** A transfer that cannot even begin is tried again at the upper bound: the error there is the one to report. */
function* succeedsAsTransfer(simulation: Simulation): Execution<boolean> {
  try {
    return (yield* attempt(simulation, TRANSFER_GAS)).succeeded;
  } catch (error) {
    if (error instanceof ChainError) return false;
    throw error;
  }
}

/**
 * Whether what was calculated holds. With less than a call needs to go the same way it may still succeed in another one:
 * when a caller bears that its callee runs out of gas.
 */
function* isConfirmed(
  simulation: Simulation,
  { high, tooLittle }: GasSearch,
  known: bigint,
): Execution<boolean> {
  if (high !== known && !(yield* attempt(simulation, high)).succeeded) return false;
  return tooLittle === undefined || !(yield* attempt(simulation, tooLittle)).succeeded;
}

/**
 * A gas limit with which a call succeeds: the number that geth answers, at most 1.5 % above the least one. One run at the
 * upper bound shows exactly what the call needs; geth's search is then a matter of arithmetic, and one or two more runs
 * confirm its outcome. Only where code looks at its own gas, so that less may change what it does, every step is a run.
 * @param gasCap the most gas that any call may have; where the call gives no gas, the block's limit is the bound (spec 4, rule 3)
 * @throws ChainError: the call's own revert or failure, or `gas required exceeds allowance (N)`
 */
export function* estimateGas(simulation: Simulation, gasCap: bigint): Execution<bigint> {
  const high = findUpperBound(simulation, gasCap);
  if (isPlainTransfer(simulation) && (yield* succeedsAsTransfer(simulation))) return TRANSFER_GAS;
  const { succeeded, result } = yield* attempt(simulation, high);
  if (!succeeded || result === undefined) {
    if (result !== undefined && !isOutOfGas(result.reason)) throw toChainError(result);
    throw new ChainError('failed', `gas required exceeds allowance (${high})`);
  }
  const needed = result.gasNeeded;
  if (needed !== undefined) {
    const search = new GasSearch(result, high);
    for (let gas = search.candidate; gas !== undefined; gas = search.candidate) search.note(gas >= needed);
    if (yield* isConfirmed(simulation, search, high)) return search.high;
  }
  const search = new GasSearch(result, high);
  for (let gas = search.candidate; gas !== undefined; gas = search.candidate) {
    yield 'sliceUsed';
    search.note((yield* attempt(simulation, gas)).succeeded);
  }
  return search.high;
}
