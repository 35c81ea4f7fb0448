import { findQuantityProblem } from '../../packages/ethereum/primitives/quantity.ts';
import type { BlockReference, BlockTag } from '../chain/requests.ts';
import { type Codec, isJsonObject, type JsonSchema, parseWithin, readValue } from '../rpc/codec/codec.ts';
import { RpcError } from '../rpc/errors.ts';
import { describeKind, ParamProblem } from '../rpc/param-problem.ts';
import { boolean, hash32 } from '../rpc/schemas.ts';
import type { Network } from './network.ts';

const TAGS: readonly BlockTag[] = ['latest', 'earliest', 'pending', 'safe', 'finalized'];
const TAGS_EXCEPT_SAFE: readonly BlockTag[] = TAGS.filter((tag) => tag !== 'safe');
/** geth parses block numbers into a signed 64-bit integer. */
const MAX_BLOCK_NUMBER = 2n ** 63n - 1n;
/** Number of characters of a 32-byte hash in hex with `0x`. */
const HASH_LENGTH = 66;

const NUMBER: JsonSchema = {
  title: 'block number',
  type: 'string',
  pattern: '^0x(0|[1-9a-fA-F][0-9a-fA-F]{0,15})$',
};
const HASH: JsonSchema = { title: 'block hash', type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' };

/** Block number or tag (spec 2.8). The published schema omits `safe`, but the parser accepts the tag. `resolveSafeTag` decides what `safe` means. */
export const blockNumberOrTag: Codec<BlockReference> = createCodec(parseNumberOrTag, [
  NUMBER,
  describeTags(TAGS_EXCEPT_SAFE),
]);

/**
 * Block number or tag. The published schema includes `safe`. This codec is for methods other than the seven methods of the specification (spec 2.8).
 */
export const anyBlockNumberOrTag: Codec<BlockReference> = createCodec(parseNumberOrTag, [
  NUMBER,
  describeTags(TAGS),
]);

/** Block number, tag, block hash or EIP-1898 object (execution-apis). */
export const anyBlock: Codec<BlockReference> = createCodec(parseAnyBlock, describeAnyBlock(TAGS));

/**
 * Block number, tag, block hash or EIP-1898 object. The published schema omits `safe`, but the parser accepts the tag. `resolveSafeTag` decides what `safe`
 * means.
 */
export const anyBlockExceptSafe: Codec<BlockReference> = createCodec(
  parseAnyBlock,
  describeAnyBlock(TAGS_EXCEPT_SAFE),
);

const NUMBER_OR_TAG = { parse: parseNumberOrTag };
const BLOCK_HASH = { parse: parseHash };

/** Default block of a message call, as in geth: `latest`. */
export const DEFAULT_BLOCK: BlockReference = { kind: 'tag', tag: 'latest' };

const BY_TAG: ReadonlyMap<unknown, BlockReference> = new Map(
  TAGS.map((tag): [BlockTag, BlockReference] => [tag, { kind: 'tag', tag }]),
);

/**
 * Applies the network's rule for the tag `safe` (spec 2.8). Methods that do not support `safe` call this function.
 * @param position index of the block parameter, for the error message
 * @throws RpcError `invalidParams` when the network's rule is to reject the tag
 */
export function resolveSafeTag(block: BlockReference, position: number, network: Network): BlockReference {
  if (block.kind !== 'tag' || block.tag !== 'safe') return block;
  if (network.safeTag === 'finalized') return { kind: 'tag', tag: 'finalized' };
  throw new RpcError(
    'invalidParams',
    `invalid argument ${position}: the tag "safe" is not supported by this method, use "finalized" instead`,
  );
}

function createCodec(
  parse: (raw: unknown) => BlockReference,
  forms: readonly JsonSchema[],
): Codec<BlockReference> {
  return { parse, jsonSchema: { title: 'block', oneOf: forms } };
}

function describeTags(tags: readonly BlockTag[]): JsonSchema {
  return { title: 'block tag', type: 'string', enum: tags };
}

function describeAnyBlock(tags: readonly BlockTag[]): readonly JsonSchema[] {
  const numberOrTag = { oneOf: [NUMBER, describeTags(tags)] };
  return [
    NUMBER,
    describeTags(tags),
    HASH,
    {
      title: 'EIP-1898 object',
      type: 'object',
      properties: { blockNumber: numberOrTag },
      required: ['blockNumber'],
    },
    {
      title: 'EIP-1898 object',
      type: 'object',
      properties: { blockHash: HASH, requireCanonical: { type: 'boolean' } },
      required: ['blockHash'],
    },
  ];
}

function parseNumberOrTag(raw: unknown): BlockReference {
  if (typeof raw !== 'string') {
    throw new ParamProblem(`expected a block number as hex string or a tag, got ${describeKind(raw)}`);
  }
  const tagged = BY_TAG.get(raw);
  if (tagged !== undefined) return tagged;
  const problem = raw === '' ? 'empty hex string' : findQuantityProblem(raw, 64);
  if (problem !== undefined) throw new ParamProblem(problem);
  const number = BigInt(raw);
  if (number > MAX_BLOCK_NUMBER) throw new ParamProblem('block number larger than int64');
  return { kind: 'number', number };
}

function parseAnyBlock(raw: unknown): BlockReference {
  if (typeof raw === 'string' && raw.length === HASH_LENGTH) {
    return { kind: 'hash', hash: parseHash(raw), requireCanonical: false };
  }
  if (!isJsonObject(raw)) return parseNumberOrTag(raw);
  const { blockHash = null, blockNumber = null, requireCanonical = null } = raw;
  if (blockHash !== null && blockNumber !== null) {
    throw new ParamProblem('cannot specify both blockHash and blockNumber, choose one or the other');
  }
  if (blockHash === null && blockNumber === null) {
    throw new ParamProblem('expected blockHash or blockNumber in the object');
  }
  const isCanonical = requireCanonical !== null && parseWithin(boolean, requireCanonical, 'requireCanonical');
  return blockHash === null
    ? parseWithin(NUMBER_OR_TAG, blockNumber, 'blockNumber')
    : { kind: 'hash', hash: parseWithin(BLOCK_HASH, blockHash, 'blockHash'), requireCanonical: isCanonical };
}

function parseHash(raw: unknown): string {
  if (typeof raw !== 'string') throw new ParamProblem(`expected a block hash, got ${describeKind(raw)}`);
  return readValue(hash32, raw);
}
