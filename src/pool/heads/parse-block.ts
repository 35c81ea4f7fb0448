/** Parsers of blocks that nodes return. Nodes may add or omit members; every member that is read is validated. */

import type { JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import type { HeaderView } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import { UpstreamFault } from '../fault.ts';
import type { BlockHeader, ReportedBlock } from './block.ts';

const BLOOM = /^0x[0-9a-fA-F]{512}$/;

type Fields = Readonly<Record<string, unknown>>;

const EMPTY_TRIE_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
const EMPTY_LIST_HASH = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';
/** Value of the transactions root and the uncles hash on chains that do not compute them (zkSync Era). */
const NO_COMMITMENT = `0x${'0'.repeat(64)}`;

/**
 * Parses the header of a block object (`eth_getBlockByNumber`, `newHeads`).
 * @throws UpstreamFault `malformed`
 */
export function parseReportedHeader(value: unknown): BlockHeader {
  return readHeader(readObject(value));
}

/**
 * Parses the header of a pending block object, which has no hash.
 * @throws ChainError `unavailable` if a member is invalid
 */
export function parsePendingHeader(block: JsonText): HeaderView {
  try {
    const fields = readObject(JSON.parse(block));
    const { extraData, baseFeePerGas } = fields;
    return {
      number: readQuantity(fields, 'number', 64),
      timestamp: readQuantity(fields, 'timestamp', 64),
      gasLimit: readQuantity(fields, 'gasLimit', 256),
      extraData: typeof extraData === 'string' ? extraData : '0x',
      ...(typeof baseFeePerGas === 'string' && { baseFeePerGas: readQuantity(fields, 'baseFeePerGas', 256) }),
    };
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
    throw new ChainError('unavailable', 'the pending block of the node is malformed');
  }
}

/**
 * Parses only the header of a block object. The items of its lists are not read, but the list of transactions or uncles must not be empty if the
 * header commits to items.
 * @throws UpstreamFault `malformed`, or `wrong` if the block contradicts itself
 */
export function parseBlockHeader(value: unknown): BlockHeader {
  const fields = readObject(value);
  const uncles = fields['uncles'] == null ? [] : readList(fields, 'uncles');
  checkEmpty(fields, readList(fields, 'transactions').length, uncles.length);
  return readHeader(fields);
}

/**
 * Parses a block object, with transaction hashes or whole transactions.
 * @throws UpstreamFault `malformed`, or `wrong` if the block contradicts itself
 */
export function parseBlock(value: unknown): ReportedBlock {
  const fields = readObject(value);
  const header = readHeader(fields);
  const transactionHashes = readList(fields, 'transactions').map(readTransactionHash);
  const uncleHashes = fields['uncles'] == null ? [] : readList(fields, 'uncles').map(readHash);
  checkEmpty(fields, transactionHashes.length, uncleHashes.length);
  const bloom = fields['logsBloom'];
  const logsBloom = typeof bloom === 'string' && BLOOM.test(bloom) ? bloom.toLowerCase() : undefined;
  const accessListHash = fields['blockAccessListHash'];
  const blockAccessListHash = accessListHash == null ? undefined : readHash(accessListHash);
  return { ...header, transactionHashes, uncleHashes, logsBloom, blockAccessListHash };
}

/**
 * Rejects empty lists under non-empty roots. A non-empty list under an empty root is legal: Polygon lists its state-sync transaction, which the root
 * does not cover.
 */
function checkEmpty(fields: Fields, transactions: number, uncles: number): void {
  if (transactions === 0 && commitsToMore(fields['transactionsRoot'], EMPTY_TRIE_ROOT)) {
    throw new UpstreamFault('wrong', 'the block lists no transactions, but its root commits to some');
  }
  if (uncles === 0 && commitsToMore(fields['sha3Uncles'], EMPTY_LIST_HASH)) {
    throw new UpstreamFault('wrong', 'the block lists no uncles, but its header commits to some');
  }
}

function readHeader(fields: Fields): BlockHeader {
  return {
    number: readQuantity(fields, 'number', 64),
    hash: readHash(fields['hash']),
    parentHash: readHash(fields['parentHash']),
    timestamp: readQuantity(fields, 'timestamp', 64),
    gasLimit: readQuantity(fields, 'gasLimit', 256),
    baseFeePerGas: fields['baseFeePerGas'] == null ? undefined : readQuantity(fields, 'baseFeePerGas', 256),
    extraData: fields['extraData'] == null ? '0x' : readData(fields, 'extraData'),
    difficulty: fields['difficulty'] == null ? 0n : readQuantity(fields, 'difficulty', 256),
  };
}

function readObject(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed('is not an object');
  return value as Fields;
}

/** Reads a quantity; leading zeros are accepted, because some nodes write them. */
function readQuantity(fields: Fields, name: string, bits: number): bigint {
  const text = fields[name];
  const digits = typeof text === 'string' ? /^0x0*(0|[1-9a-fA-F][0-9a-fA-F]*)$/.exec(text)?.[1] : undefined;
  if (digits === undefined || digits.length > bits / 4) throw malformed(`has no valid ${name}`);
  return BigInt(`0x${digits}`);
}

function readData(fields: Fields, name: string): string {
  const text = fields[name];
  if (typeof text !== 'string' || !/^0x(?:[0-9a-fA-F]{2})*$/.test(text)) {
    throw malformed(`has no valid ${name}`);
  }
  return text.toLowerCase();
}

function readHash(value: unknown): string {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(value)) throw malformed('lacks a valid hash');
  return value.toLowerCase();
}

function readList(fields: Fields, name: string): readonly unknown[] {
  const list = fields[name];
  if (!Array.isArray(list)) throw malformed(`has no list of ${name}`);
  return list;
}

function readTransactionHash(transaction: unknown): string {
  return readHash(typeof transaction === 'string' ? transaction : readObject(transaction)['hash']);
}

function commitsToMore(commitment: unknown, empty: string): boolean {
  if (typeof commitment !== 'string') return false;
  const hash = commitment.toLowerCase();
  return hash !== empty && hash !== NO_COMMITMENT;
}

function malformed(problem: string): UpstreamFault {
  return new UpstreamFault('malformed', `the upstream's block ${problem}`);
}
