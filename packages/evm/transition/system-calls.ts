/** System calls of a block: calls of system contracts, and the collection of execution requests. */

import type { Header } from '../../ethereum/codecs/header.ts';
import type { Log } from '../../ethereum/codecs/receipt.ts';
import { checksumAddress } from '../../ethereum/primitives/address.ts';
import { bytesEqual, concatBytes } from '../../ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../ethereum/primitives/hex.ts';
import { sha256 } from '../../ethereum/primitives/sha256.ts';
import { StateLimitError } from '../interpreter/world-state.ts';
import { BlockError } from './block-error.ts';
import type { ExecutionContext } from './running-transaction.ts';

const SYSTEM_ADDRESS = hexToBytes('0xfffffffffffffffffffffffffffffffffffffffe');
const SYSTEM_CALL_GAS = 30_000_000n;
/** Number of slots that a system call can fill from its state gas reservoir (EIP-8037). */
const SYSTEM_CALL_SLOTS = 16n;

/** Type of deposit requests, which are read from logs (EIP-6110). */
const DEPOSIT_REQUEST = 0;

/** EIP-6110: `DepositEvent(bytes,bytes,bytes,bytes,bytes)` and the offsets of its parts in the data. */
const DEPOSIT_TOPIC = hexToBytes('0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5');
const DEPOSIT_DATA_LENGTH = 576;
const DEPOSIT_PARTS = [
  { offset: 160, length: 48 },
  { offset: 256, length: 32 },
  { offset: 320, length: 8 },
  { offset: 384, length: 96 },
  { offset: 512, length: 8 },
] as const;

/**
 * Work of a block, such as a system call, that pauses between steps. Each `next` runs at most one slice of gas, and reports whether the following
 * step may be long.
 */
export type ProtocolSteps<T> = Generator<'sliceUsed' | 'longStepAhead', T, undefined>;

/** Runs all steps without interruption. */
export function complete<T>(steps: ProtocolSteps<T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

type SystemCallResult = { readonly succeeded: boolean; readonly reason: string; readonly output: Uint8Array };

function* callSystemContract(
  to: Uint8Array,
  data: Uint8Array,
  { evm, block, rules, accessList }: ExecutionContext,
  slice: bigint,
): ProtocolSteps<SystemCallResult> {
  evm.enter(block, rules.chainId, rules.revision);
  evm.open();
  evm.beginSystemCall();
  accessList?.touch(to);
  evm.start({
    caller: SYSTEM_ADDRESS,
    to,
    value: 0n,
    data,
    gasLimit: SYSTEM_CALL_GAS,
    stateGas: SYSTEM_CALL_SLOTS * (rules.revision.stateGas?.slot ?? 0n),
    gasPrice: 0n,
    blobVersionedHashes: [],
    accessList: [],
  });
  while (!evm.advance(slice)) yield evm.isAtLongStep ? 'longStepAhead' : 'sliceUsed';
  const result = evm.result();
  if (result.isLimited) throw new StateLimitError();
  evm.finish();
  accessList?.endPart();
  const { status, output } = result;
  const reason = status === 'revert' ? 'execution reverted' : result.reason;
  return { succeeded: status === 'success', reason, output };
}

/** Runs the system calls before the transactions; a call whose header field is absent is skipped. */
export function* runPreBlockCalls(
  header: Pick<Header, 'parentBeaconBlockRoot' | 'parentHash'>,
  context: ExecutionContext,
  slice: bigint,
): ProtocolSteps<void> {
  for (const { contract, input } of context.rules.revision.blockCalls) {
    const data = header[input];
    if (data !== undefined) yield* callSystemContract(contract.address, data, context, slice);
  }
}

/**
 * Returns the concatenated parts of a deposit event. Checks that the five offsets (160 bytes) and the length word of each part are those that the
 * deposit contract writes.
 */
function parseDeposit(data: Uint8Array): Uint8Array {
  if (data.length !== DEPOSIT_DATA_LENGTH) throw new BlockError('deposit event has the wrong length');
  const word = (at: number): number => {
    const high = data.subarray(at, at + 28);
    if (high.some((byte) => byte !== 0)) throw new BlockError('deposit event has the wrong layout');
    return new DataView(data.buffer, data.byteOffset + at + 28, 4).getUint32(0);
  };
  const parts = DEPOSIT_PARTS.map(({ offset, length }, index) => {
    if (word(index * 32) !== offset || word(offset) !== length) {
      throw new BlockError('deposit event has the wrong layout');
    }
    return data.subarray(offset + 32, offset + 32 + length);
  });
  return concatBytes(...parts);
}

function collectDeposits(logs: readonly Log[], contract: string): Uint8Array {
  const deposits = logs
    .filter(
      ({ address, topics }) =>
        bytesToHex(address) === contract && topics[0] !== undefined && bytesEqual(topics[0], DEPOSIT_TOPIC),
    )
    .map(({ data }) => parseDeposit(data));
  return concatBytes(...deposits);
}

/**
 * Collects the block's deposit, withdrawal and consolidation requests after the transactions, in revisions with requests.
 * @returns the requests hash of EIP-7685
 * @throws BlockError when a request contract is missing or fails, or a deposit is malformed
 */
export function* collectRequests(
  logs: readonly Log[],
  context: ExecutionContext,
  slice: bigint,
): ProtocolSteps<Uint8Array> {
  const requests: Uint8Array[] = [];
  const add = (type: number, data: Uint8Array): void => {
    if (data.length > 0) requests.push(concatBytes(Uint8Array.of(type), data));
  };
  add(DEPOSIT_REQUEST, collectDeposits(logs, context.rules.depositContract));
  for (const { type, contract, queue } of context.rules.revision.requestQueues) {
    const { address } = contract;
    if (!context.evm.state.hasCode(address)) {
      throw new BlockError(
        `failed to process ${queue} queue: empty system contract: no code at ${checksumAddress(address)}`,
      );
    }
    const call = callSystemContract(address, new Uint8Array(0), context, slice);
    const { succeeded, reason, output } = yield* call;
    if (!succeeded) {
      throw new BlockError(`failed to process ${queue} queue: system call failed to execute: ${reason}`);
    }
    add(type, output);
  }
  return sha256(concatBytes(...requests.map(sha256)));
}
