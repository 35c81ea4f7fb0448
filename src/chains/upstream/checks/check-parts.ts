import type {
  JsonBytes,
  JsonResult,
  JsonText,
} from '../../../../packages/ethereum/primitives/json-result.ts';
import { asText, isSameText } from '../../../../packages/proofs/members.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import type { ReportedBlock } from '../../../pool/heads/block.ts';
import { keepUnique } from '../keep-unique.ts';
import { parseObject } from './parse-object.ts';

/**
 * Creates a check that a member of the answer has this value, a hash in lower case. The answer is serialized again if an object in it repeats a name.
 * @returns a check that throws UpstreamFault `wrong` for any other value
 */
export function checkMember(name: string, value: string): (result: JsonResult) => JsonResult {
  return (result) => {
    if (isSameText(parseObject(result)[name], value)) return keepUnique(result as JsonText | JsonBytes);
    throw aboutOther();
  };
}

const EMPTY_BLOOM = /^0x0*$/;

/**
 * Creates a check that a receipt belongs to this transaction, and has an empty bloom if it has no logs. The answer is serialized again if an object
 * in it repeats a name.
 * @returns a check that throws UpstreamFault `wrong` for any other receipt
 */
export function checkReceipt(hash: string): (result: JsonResult) => JsonResult {
  return (result) => {
    const { transactionHash, logs, logsBloom } = parseObject(result);
    if (!isSameText(transactionHash, hash)) throw aboutOther();
    const isEmpty = Array.isArray(logs) && logs.length === 0;
    if (isEmpty && typeof logsBloom === 'string' && !EMPTY_BLOOM.test(logsBloom))
      throw new UpstreamFault('wrong', 'the receipt has no logs, but its bloom is not empty');
    return keepUnique(result as JsonText | JsonBytes);
  };
}

function aboutOther(): UpstreamFault {
  return new UpstreamFault('wrong', 'the answer is for a hash other than the requested one');
}

/** Block and position that an answer reports for its transaction. */
export type ReportedPlace = { readonly number: bigint; readonly blockHash: string; readonly index: bigint };

/** Zero hash, which no block has: geth before 1.9 and its forks report it as the block of a pending transaction. */
const NO_HASH = /^0x0{64}$/i;

/**
 * Reads the place of a transaction from the transaction or its receipt; returns undefined for a pending transaction.
 * @throws UpstreamFault if the place cannot be parsed
 */
export function readPlace(answer: JsonText | JsonBytes): ReportedPlace | undefined {
  const { blockHash, blockNumber, transactionIndex } = parseObject(answer);
  if (blockHash === null || blockHash === undefined) return undefined;
  if (typeof blockHash === 'string' && NO_HASH.test(blockHash)) return undefined;
  return {
    number: readInteger(blockNumber),
    blockHash: asText(blockHash).toLowerCase(),
    index: readInteger(transactionIndex),
  };
}

/** Parses a quantity. Leading zeros, which some nodes write, are accepted. */
function readInteger(value: unknown): bigint {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return BigInt(value);
  throw new UpstreamFault('wrong', 'the answer does not name the position of the transaction');
}

/**
 * Creates a check that a transaction is the one that the block lists at this position. The answer is serialized again if an object in it repeats a
 * name.
 * @returns a check that throws UpstreamFault `wrong` for any other transaction
 */
export function checkTransaction(block: ReportedBlock, index: number): (result: JsonResult) => JsonResult {
  return (result) => {
    const { hash, blockHash } = parseObject(result);
    if (isSameText(hash, block.transactionHashes[index] as string) && isSameText(blockHash, block.hash)) {
      return keepUnique(result as JsonText | JsonBytes);
    }
    throw new UpstreamFault('wrong', 'the transaction is not the one that the block lists');
  };
}

/**
 * Creates a check that an uncle is the one that the block lists at this position. An uncle has no transactions, withdrawals or uncles (spec 2.1): the
 * check removes them if a node adds them.
 * @returns a check that throws UpstreamFault `wrong` for any other uncle
 */
export function checkUncle(block: ReportedBlock, index: number): (result: JsonResult) => JsonResult {
  return (result) => {
    const uncle = parseObject(result);
    if (!isSameText(uncle['hash'], block.uncleHashes[index] as string)) {
      throw new UpstreamFault('wrong', 'the uncle is not the one that the block lists');
    }
    const { transactions, withdrawals, uncles, ...rest } = uncle;
    const isBare = transactions === undefined && withdrawals === undefined;
    if (isBare && Array.isArray(uncles) && uncles.length === 0)
      return keepUnique(result as JsonText | JsonBytes);
    return JSON.stringify({ ...rest, uncles: [] });
  };
}

/** Rewrites a transaction that is in no served block to geth's form of a pending transaction. */
export function showAsPending(text: JsonText): JsonText {
  const fields = parseObject(text);
  const { blockHash, blockNumber, transactionIndex, blockTimestamp = null, maxFeePerGas } = fields;
  if ([blockHash, blockNumber, transactionIndex, blockTimestamp].every((member) => member === null))
    return text;
  return JSON.stringify({
    ...fields,
    blockHash: null,
    blockNumber: null,
    transactionIndex: null,
    ...('blockTimestamp' in fields && { blockTimestamp: null }),
    ...(typeof maxFeePerGas === 'string' && { gasPrice: maxFeePerGas }),
  });
}
