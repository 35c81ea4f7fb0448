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
 * Creates a check that a member of the answer is this hash, which must be in lower case. An answer in which an object repeats a name is serialized
 * again without the repetition.
 * @returns a check that throws UpstreamFault `wrong` if the member has another value
 */
export function checkMember(name: string, value: string): (result: JsonResult) => JsonResult {
  return (result) => {
    if (isSameText(parseObject(result)[name], value)) return keepUnique(result as JsonText | JsonBytes);
    throw aboutOther();
  };
}

const EMPTY_BLOOM = /^0x0*$/;

/**
 * Creates a check that a receipt belongs to this transaction, and has an empty bloom if it has no logs. An answer in which an object repeats a name
 * is serialized again without the repetition.
 * @returns a check that throws UpstreamFault `wrong` for the receipt of another transaction or a wrong bloom
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

/** Block of a transaction, and the transaction's index in the block, as an answer reports them. */
export type ReportedPlace = { readonly number: bigint; readonly blockHash: string; readonly index: bigint };

/** Zero hash, which geth before 1.9 and its forks report as the block of a pending transaction. */
const NO_HASH = /^0x0{64}$/i;

/**
 * Reads block and index of a transaction from the transaction object or its receipt; returns undefined for a pending transaction.
 * @throws UpstreamFault if the block or the index is malformed
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

/** Parses a quantity. Leading zeros are accepted, because some nodes write them. */
function readInteger(value: unknown): bigint {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return BigInt(value);
  throw new UpstreamFault('wrong', 'the answer does not name the position of the transaction');
}

/**
 * Creates a check that a transaction has the hash that the block lists at the index `index`. An answer in which an object repeats a name is
 * serialized again without the repetition.
 * @returns a check that throws UpstreamFault `wrong` if the transaction or its block has another hash
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
 * Creates a check that an uncle has the hash that the block lists at the index `index`. If a node adds transactions, withdrawals or uncles to an
 * uncle, the check removes them (spec 2.1).
 * @returns a check that throws UpstreamFault `wrong` if the uncle has another hash
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

/** If the block of a transaction is not served, converts the transaction to geth's form of a pending transaction. */
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
