import type { StoredReceipt } from '../../../../../packages/ethereum/codecs/receipt.ts';
import { bytesToHex } from '../../../../../packages/ethereum/primitives/hex.ts';
import { decodeRevertReason } from '../../../../../packages/ethereum/primitives/revert-reason.ts';
import { encodeContentsJson } from '../../../../chain/block-json.ts';
import { encodeDataString, quantity } from '../../../../chain/json-values.ts';
import { encodeLogJson } from '../../../../chain/wire-json.ts';
import type { SimulatedBlock, SimulatedOutcome } from './simulate-block.ts';

const REVERT_CODE = 3;
const VM_ERROR_CODE = -32_015;
const CAPPED = " (gas limit was capped by the RPC server's global gas cap)";

/** Yields the JSON of a simulated block in parts: a block object with the additional member `calls`. */
export function* encodeSimulatedBlock(simulated: SimulatedBlock, isFull: boolean): Generator<string> {
  const { block, header, hash, size } = simulated;
  const hashText = bytesToHex(hash);
  const contents = {
    header,
    hash: hashText,
    size,
    readFacts: () => nameLastSenders(simulated),
    readTransactions: () => block.transactions,
    readUncles: () => [],
    readWithdrawals: () => block.withdrawals,
  };
  // `calls` is inserted before the closing brace, which is the last character of the last piece.
  let piece = '';
  for (const next of encodeContentsJson(contents, isFull)) {
    if (piece !== '') yield piece;
    piece = next;
  }
  yield `${piece.slice(0, -1)},"calls":[`;
  const place = `"blockHash":"${hashText}","blockNumber":${quantity(header.number)}`;
  const timestamp = `"blockTimestamp":${quantity(header.timestamp)}`;
  for (const [index, call] of simulated.calls.entries()) {
    const { transactionHash } = simulated.receipts[index] as StoredReceipt;
    const transaction = `"transactionHash":${encodeDataString(transactionHash)},"transactionIndex":${quantity(index)}`;
    yield `${index === 0 ? '' : ','}{"returnData":${encodeReturnData(call)},"logs":[`;
    for (const [at, log] of call.logs.entries()) {
      const text = encodeLogJson(log, log.number, { block: place, transaction, timestamp });
      yield at === 0 ? text : `,${text}`;
    }
    yield `],${encodeUse(call)}${encodeFailure(call)}}`;
  }
  yield ']}';
}

/**
 * Replaces the senders as geth does: geth stores senders by transaction hash, so identical transactions of different senders all report the last
 * sender.
 */
function nameLastSenders({ receipts }: SimulatedBlock): SimulatedBlock['receipts'] {
  const senders = new Map(
    receipts.map(({ transactionHash, sender }) => [bytesToHex(transactionHash), sender]),
  );
  if (senders.size === receipts.length) return receipts;
  return receipts.map((receipt) => ({
    ...receipt,
    sender: senders.get(bytesToHex(receipt.transactionHash)) as Uint8Array,
  }));
}

function encodeReturnData({ result }: SimulatedOutcome): string {
  return result.status === 'success' ? encodeDataString(result.output) : '"0x"';
}

function encodeUse({ result }: SimulatedOutcome): string {
  const { gasUsed, peakGasUsed, status } = result;
  return (
    `"gasUsed":${quantity(gasUsed)},"maxUsedGas":${quantity(peakGasUsed)},` +
    `"status":${status === 'success' ? '"0x1"' : '"0x0"'}`
  );
}

function encodeFailure({ result, isGasCapped }: SimulatedOutcome): string {
  const { status, reason, output } = result;
  if (status === 'success') return '';
  if (status === 'halt') {
    const message = JSON.stringify(isGasCapped ? reason + CAPPED : reason);
    return `,"error":{"message":${message},"code":${VM_ERROR_CODE}}`;
  }
  const words = decodeRevertReason(output);
  const message = JSON.stringify(words === undefined ? 'execution reverted' : `execution reverted: ${words}`);
  return `,"error":{"message":${message},"code":${REVERT_CODE},"data":${encodeDataString(output)}}`;
}
