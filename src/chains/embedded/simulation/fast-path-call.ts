import { ADDRESS_LENGTH } from '../../../../packages/ethereum/primitives/address.ts';
import { bytesEqual } from '../../../../packages/ethereum/primitives/bytes.ts';
import type { CallBytes } from '../../../../packages/ethereum/primitives/call-bytes.ts';
import type { HexData } from '../../../../packages/ethereum/primitives/hex-data.ts';
import type { BlockEnvironment } from '../../../../packages/evm/interpreter/message.ts';
import {
  hasPrecompile,
  type RevisionRules,
} from '../../../../packages/evm/interpreter/revisions/revision-rules.ts';
import { StateLimitError, type WorldState } from '../../../../packages/evm/interpreter/world-state.ts';
import { findDelegate } from '../../../../packages/evm/transition/delegation.ts';
import { ChainError } from '../../../chain/errors.ts';
import { MissingState } from '../state/missing-state.ts';
import type { CallsAhead, FastPathContext } from './calls-ahead.ts';
import { toExecutionError } from './execute-call.ts';
import { SLICE_GAS } from './execution.ts';
import type { Simulator } from './simulator.ts';

const FIRST_SLICE_GAS = Number(SLICE_GAS);
/**
 * Maximum intrinsic gas of a call without data in any revision. `MAX_BYTE_GAS` is the highest price of a byte of data, which applied before EIP-2028.
 */
const MAX_TRANSACTION_GAS = 21_000;
const MAX_BYTE_GAS = 68;

/**
 * Fast path of `executeJob`: runs a call without value, price, lists and overrides to its end or until `endsAt` on the clock `performance.now()`.
 * @param gasLimit at least `gasToBegin`
 * @param ahead runs the next calls of the batch after a successful call; undefined to run only this call
 * @returns the return data; undefined when the call did not end by `endsAt` and was undone
 * @throws ChainError with geth's texts
 */
export function runPlainCall(
  simulator: Simulator,
  call: CallBytes,
  at: FastPathContext,
  gasLimit: number,
  endsAt: number,
  ahead?: CallsAhead,
): HexData | undefined {
  const { freeBlock, rules } = simulator.environmentOf(at, 'call');
  const entry = simulator.acquire(at.blockNumber);
  const { evm } = entry;
  let isSound = true;
  try {
    evm.enter(freeBlock, rules.chainId, rules.revision);
    const intrinsicGas = gasBefore(call, evm.state, freeBlock, rules.revision);
    let isDone = evm.runFastPath(call, gasLimit - intrinsicGas, FIRST_SLICE_GAS);
    while (!isDone) {
      if (evm.isAtLongStep || performance.now() >= endsAt) return undefined;
      isDone = evm.advance(SLICE_GAS);
    }
    simulator.meter.used += intrinsicGas + evm.gasUsedNumber;
    if (!evm.isSuccess) throw toExecutionError(evm.outcome);
    const output = evm.outputData;
    if (ahead === undefined || call.following === undefined) return output;
    while (!evm.abandon());
    simulator.meter.used += ahead.run(evm, call, at, (one, limit) =>
      limit < gasToBegin(one.dataLength)
        ? undefined
        : limit - gasBefore(one, evm.state, freeBlock, rules.revision),
    );
    return output;
  } catch (error) {
    if (error instanceof StateLimitError) throw new ChainError('failed', error.message);
    isSound = error instanceof ChainError || error instanceof MissingState;
    throw error;
  } finally {
    // After an internal fault the state of the EVM is unknown, so it is not reused.
    if (isSound) {
      while (!evm.abandon());
      simulator.release(entry);
    }
  }
}

/**
 * Returns gas that covers the intrinsic gas of any call with `dataLength` bytes: 21,000, plus at most 68 per byte (EIP-2028, 7623, 7976). From
 * Amsterdam on, the part that does not depend on the data is at most 18,000: 12,000, plus 3000 for the recipient, plus 3000 for its delegate.
 */
export function gasToBegin(dataLength: number): number {
  return MAX_TRANSACTION_GAS + MAX_BYTE_GAS * dataLength;
}

/** Returns the intrinsic gas of a call, with the gas for its delegate. */
function gasBefore(
  call: CallBytes,
  state: WorldState,
  block: BlockEnvironment,
  revision: RevisionRules,
): number {
  return intrinsicGasOf(call, revision) + delegateGasOf(call, state, block, revision);
}

function intrinsicGasOf(call: CallBytes, { intrinsic }: RevisionRules): number {
  const { dataLength, zeros } = call;
  const recipient = intrinsic.recipient === 0 || isToItself(call) ? 0 : intrinsic.recipient;
  const data = zeros * intrinsic.zeroByte + (dataLength - zeros) * intrinsic.nonZeroByte;
  return intrinsic.transaction + recipient + data;
}

function isToItself(call: CallBytes): boolean {
  return bytesEqual(addressAt(call, call.from), addressAt(call, call.to));
}

/**
 * Returns the gas for loading the recipient's delegate (EIP-7702). EIP-2780 charges this gas before the first instruction; it is 0 before Amsterdam.
 */
function delegateGasOf(
  call: CallBytes,
  state: WorldState,
  { beneficiary }: BlockEnvironment,
  revision: RevisionRules,
): number {
  if (revision.stateGas === undefined) return 0;
  const to = addressAt(call, call.to);
  const delegate = findDelegate(state, to);
  if (delegate === undefined) return 0;
  const warm = [addressAt(call, call.from), to, beneficiary];
  const isWarm = warm.some((one) => bytesEqual(one, delegate)) || hasPrecompile(revision, delegate);
  return Number(isWarm ? revision.warmAccountGas : revision.coldAccountGas);
}

function addressAt({ bytes }: CallBytes, at: number): Uint8Array {
  return bytes.subarray(at, at + ADDRESS_LENGTH);
}
