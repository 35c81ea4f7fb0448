import { ChainError } from '../../chain/errors.ts';
import type { BlockEnvironment } from '../../evm/message.ts';
import { hasPrecompile, type RevisionRules } from '../../evm/revisions/revision-rules.ts';
import { StateLimitError, type WorldState } from '../../evm/world-state.ts';
import { ADDRESS_LENGTH } from '../../primitives/address.ts';
import { bytesEqual } from '../../primitives/bytes.ts';
import type { CallBytes } from '../../primitives/call-bytes.ts';
import type { HexData } from '../../primitives/hex-data.ts';
import { MissingState } from '../state/missing-state.ts';
import { findDelegate } from '../transition/delegation.ts';
import type { CallsAhead, PlainPlace } from './calls-ahead.ts';
import { toChainError } from './execute-call.ts';
import { SLICE_GAS } from './execution.ts';
import type { Simulator } from './simulator.ts';

const FIRST_SLICE_GAS = Number(SLICE_GAS);
/** The most that a transaction, and a byte of its data, cost in any revision: the latter before EIP-2028. */
const MAX_TRANSACTION_GAS = 21_000;
const MAX_BYTE_GAS = 68;

/**
 * Runs a call without value, price, lists and overrides until it is done or `endsAt` on the clock of `performance.now()`: what `executeJob` does
 * with such a call, without what others need.
 * @param gasLimit no less than `gasToBegin`
 * @param ahead runs those behind it in its batch as well, where it ends with success
 * @returns its return data; undefined when the time was not enough, and nothing is left of it then
 * @throws ChainError with geth's texts
 */
export function runPlainCall(
  simulator: Simulator,
  call: CallBytes,
  at: PlainPlace,
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
    let isDone = evm.runPlain(call, gasLimit - intrinsicGas, FIRST_SLICE_GAS);
    while (!isDone) {
      if (evm.isAtLongStep || performance.now() >= endsAt) return undefined;
      isDone = evm.advance(SLICE_GAS);
    }
    simulator.meter.used += intrinsicGas + evm.gasUsedNumber;
    if (!evm.isSuccess) throw toChainError(evm.outcome);
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
    // After a fault of this program it is unknown what is in it: that one is not used again.
    if (isSound) {
      while (!evm.abandon());
      simulator.release(entry);
    }
  }
}

/**
 * Gas with which any call of so many bytes of data can begin: 21,000, and 68 for each byte at most (EIP-2028, 7623, 7976). From Amsterdam
 * it is 12,000 and 3000 for the recipient, and 3000 where that is delegated.
 */
export function gasToBegin(dataLength: number): number {
  return MAX_TRANSACTION_GAS + MAX_BYTE_GAS * dataLength;
}

/** Gas that is paid before the first instruction. */
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

/** EIP-2780: the account whose code the recipient runs is paid for before the first instruction. */
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
