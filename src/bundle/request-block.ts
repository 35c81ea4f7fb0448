import type { ChainConfig } from '../../packages/ethereum/codecs/chain-config.ts';
import { isComplete, type JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { RlpWriter } from '../../packages/ethereum/primitives/rlp-writer.ts';
import type { Revision } from '../../packages/evm/interpreter/revisions/revisions.ts';
import type { Members } from '../../packages/proofs/findings.ts';
import { findHeaderForm, writeHeader } from '../../packages/proofs/hash-header.ts';
import { isMembers } from '../../packages/proofs/members.ts';
import type { Chain } from '../chain/chain.ts';
import { collectStream } from '../gateway/collect-stream.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { BundleError, type RollupSettings } from './format.ts';

/** Network from which a bundle is collected, its configuration, and the request scope (with the deadline) of all requests to it. */
export type Source = {
  readonly chain: Chain;
  readonly scope: RequestScope;
  /** Fork schedule of the chain, if known. */
  readonly config?: ChainConfig;
  /** Fork of the block, if given on the command line. */
  readonly fork?: Revision;
  /** Rollup configuration; absent if the network is not a rollup. */
  readonly rollup?: RollupSettings;
  /** All prefixes for which the network serves `<prefix>_estimateGas`. */
  readonly prefixes?: readonly string[];
  /** Layer 1 of the rollup, if it has one. */
  readonly l1?: Pick<Chain['blocks'], 'getHeader'>;
  /** Node that derives the rollup's chain from layer 1, if the rollup has such a node. */
  readonly opNode?: Pick<Chain, 'request'>;
};

/** Parses a JSON result. A streamed result is first read to its end. */
export async function readResult(result: JsonResult): Promise<unknown> {
  if (isComplete(result)) return JSON.parse(typeof result === 'string' ? result : result.text);
  const pieces = await collectStream(result, () => true);
  return JSON.parse(Buffer.concat(pieces ?? []).toString('utf8'));
}

/** Reads a result that must be an object. @throws BundleError if the result is not an object */
export async function readObject(result: JsonResult | null, what: string): Promise<Members> {
  const value = result === null ? null : await readResult(result);
  if (!isMembers(value)) throw new BundleError(`the network has no ${what}`);
  return value;
}

/** Returns the block object with this hash. @param isFull whether transactions are included in full @throws BundleError if there is no such block */
export async function requestBlock(
  { chain, scope }: Source,
  hash: string,
  isFull: boolean,
): Promise<Members> {
  const reference = { kind: 'hash', hash, requireCanonical: false } as const;
  return readObject(await chain.blocks.getBlock(reference, isFull, scope), `block ${hash}`);
}

/** RLP-encodes the header of a block object. @throws BundleError if the hash of the encoding is not the object's `hash` */
export function encodeBlockHeader(object: Members): Uint8Array {
  const writer = new RlpWriter();
  const form = findHeaderForm(object, String(object['hash']), writer);
  if (form === undefined)
    throw new BundleError(`the members of block ${String(object['hash'])} do not hash to its hash`);
  writeHeader(object, form, writer);
  return writer.take(0);
}
