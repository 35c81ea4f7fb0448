import { GAS_PER_BLOB } from '../../../../packages/ethereum/codecs/transaction.ts';
import { ZERO_ADDRESS } from '../../../../packages/ethereum/primitives/address.ts';
import { minBigInt } from '../../../../packages/ethereum/primitives/bigint.ts';
import { hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import { isOutOfGas } from '../../../../packages/evm/interpreter/status.ts';
import { GasSearch } from '../../../../packages/evm/transition/gas-search.ts';
import type { TransactionResult } from '../../../../packages/evm/transition/running-transaction.ts';
import { TransactionError } from '../../../../packages/evm/transition/transaction-error.ts';
import { ChainError } from '../../../chain/errors.ts';
import { toExecutionError } from './execute-call.ts';
import { advance, type Execution } from './execution.ts';
import { MAX_CALL_GAS, type Simulation } from './simulator.ts';

/**
 * Gas of a transfer without data: the first gas limit that an estimate of a transfer tries. A `gas` field below 21,000 is ignored, so the upper bound
 * follows from the block gas limit. As in geth, the number is the same in every revision.
 */
const TRANSFER_GAS = 21_000n;

/** Outcome of one attempt; `result` is undefined if the gas is below the intrinsic gas. */
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

/** Returns the upper bound of an estimate: the requested gas or the block gas limit, limited by the gas caps and the sender's balance. */
function findUpperBound(simulation: Simulation, gasCap: bigint): bigint {
  const { call, environment } = simulation;
  const requested = call.gas === undefined ? 0n : BigInt(call.gas);
  let bound = requested >= TRANSFER_GAS ? requested : environment.block.gasLimit;
  const { transactionGasCap, stateGas } = environment.boundRules;
  // From Amsterdam on (EIP-8037), the transaction gas cap limits only execution gas, so the run applies it.
  if (stateGas === undefined) bound = minBigInt(bound, transactionGasCap ?? bound);
  bound = minBigInt(bound, findAllowance(simulation) ?? bound);
  return minBigInt(bound, minBigInt(gasCap, MAX_CALL_GAS));
}

/** Returns the maximum gas that the sender's balance pays at the offered price; undefined if the call offers no price. */
function findAllowance(simulation: Simulation): bigint | undefined {
  const { call, environment, feeCap } = simulation;
  if (feeCap === 0n) return undefined;
  const value = BigInt(call.value ?? 0);
  let available = simulation.getBalance(call.from === undefined ? ZERO_ADDRESS : hexToBytes(call.from));
  if (value >= available) throw new ChainError('failed', 'insufficient funds for transfer');
  available -= value;
  const blobs = BigInt(call.blobVersionedHashes?.length ?? 0);
  if (environment.boundRules.hasBlobs && blobs > 0n) {
    // geth computes this product in 256 bits, without an overflow check.
    const cost = BigInt.asUintN(256, blobs * GAS_PER_BLOB * BigInt(call.maxFeePerBlobGas ?? 0));
    if (cost >= available) throw new ChainError('failed', 'insufficient funds for gas * price + value');
    available -= cost;
  }
  return available / feeCap;
}

function isSimpleTransfer(simulation: Simulation): boolean {
  const { call } = simulation;
  const data = call.input ?? call.data ?? '0x';
  return data === '0x' && call.to !== undefined && !simulation.hasCode(hexToBytes(call.to));
}

/**
 * Returns the gas that a transfer uses, which can be below 21,000 with EIP-2780. Returns undefined if 21,000 gas is not enough for the transfer, for
 * example to a new account. Also returns undefined if the transfer cannot begin. The run at the upper bound then reports the error.
 */
function* measureTransfer(simulation: Simulation): Execution<bigint | undefined> {
  try {
    const { succeeded, result } = yield* attempt(simulation, TRANSFER_GAS);
    return succeeded ? result?.gasUsed : undefined;
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

/**
 * Runs the call with the calculated gas limit to check the calculation. The calculation alone may be wrong: a call can succeed with less gas than
 * measured, if a contract tolerates that its callee runs out of gas.
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
 * Computes the outcome of geth's binary search without most of its runs; returns undefined if the runs are required. A run with a state gas reservoir
 * (EIP-8037) does not report how much gas it needed. The first candidate is then run, which usually has no reservoir.
 * @param result result of a successful run with `enough` gas
 */
function* calculate(
  simulation: Simulation,
  result: TransactionResult,
  enough: bigint,
): Execution<bigint | undefined> {
  const search = new GasSearch(result, enough);
  const { executionGasCap } = simulation.rules.revision;
  const first = search.candidate;
  let needed = result.gasNeeded;
  if (first !== undefined && executionGasCap !== undefined && enough > executionGasCap) {
    const tried = yield* attempt(simulation, first);
    search.note(tried.succeeded);
    needed = tried.succeeded ? tried.result?.gasNeeded : undefined;
  }
  if (needed === undefined) return undefined;
  const known = search.high;
  for (let gas = search.candidate; gas !== undefined; gas = search.candidate) search.note(gas >= needed);
  return (yield* isConfirmed(simulation, search, known)) ? search.high : undefined;
}

/**
 * Estimates a gas limit with which a call succeeds: the number that geth returns, at most 1.5 % above the minimum. One run at the upper bound
 * measures the gas that the call needs. geth's search is then computed arithmetically, and one or two more runs confirm the result. If these runs
 * contradict the calculation, or if the execution depends on its remaining gas, every step of the search is a run.
 * @param gasCap upper bound for every call, also with a `gas` field; a call without this field is also bounded by the block gas limit (spec 4, rule
 * 3)
 * @throws ChainError with the call's own revert or failure, or `gas required exceeds allowance (N)`
 */
export function* estimateGas(simulation: Simulation, gasCap: bigint): Execution<bigint> {
  const high = findUpperBound(simulation, gasCap);
  const transferGas = isSimpleTransfer(simulation) ? yield* measureTransfer(simulation) : undefined;
  if (transferGas !== undefined) return transferGas;
  const { succeeded, result } = yield* attempt(simulation, high);
  if (!succeeded || result === undefined) {
    if (result !== undefined && !isOutOfGas(result.reason)) throw toExecutionError(result);
    throw new ChainError('failed', `gas required exceeds allowance (${high})`);
  }
  const calculated = yield* calculate(simulation, result, high);
  if (calculated !== undefined) return calculated;
  const search = new GasSearch(result, high);
  for (let gas = search.candidate; gas !== undefined; gas = search.candidate) {
    yield 'sliceUsed';
    search.note((yield* attempt(simulation, gas)).succeeded);
  }
  return search.high;
}
