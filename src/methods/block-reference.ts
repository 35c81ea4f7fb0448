import * as z from 'zod';
import type { BlockReference, BlockTag } from '../chain/chain.ts';
import { parseQuantity } from '../primitives/quantity.ts';
import { addAcceptor, findAcceptor } from '../rpc/acceptors.ts';
import { RpcError } from '../rpc/errors.ts';
import { describeKind } from '../rpc/param-problem.ts';
import { hash32 } from '../rpc/schemas.ts';
import type { Network } from './network.ts';

const TAGS: readonly BlockTag[] = ['latest', 'earliest', 'pending', 'safe', 'finalized'];
const TAGS_EXCEPT_SAFE: readonly BlockTag[] = TAGS.filter((tag) => tag !== 'safe');
/** geth keeps block numbers in a signed 64-bit integer. */
const MAX_BLOCK_NUMBER = 2n ** 63n - 1n;
/** A 32-byte hash as text. */
const HASH_LENGTH = 66;

type JsonSchema = Readonly<Record<string, unknown>>;
const NUMBER: JsonSchema = {
  title: 'block number',
  type: 'string',
  pattern: '^0x(0|[1-9a-fA-F][0-9a-fA-F]{0,15})$',
};
const HASH: JsonSchema = { title: 'block hash', type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' };

/** A block number or a tag (spec 2.8). */
export const blockNumberOrTag: z.ZodType<BlockReference> = createSchema(parseNumberOrTag, [
  NUMBER,
  describeTags(TAGS_EXCEPT_SAFE),
]);

/** The same with the tag `safe`, for what is not one of the service's seven methods. */
export const anyBlockNumberOrTag: z.ZodType<BlockReference> = createSchema(parseNumberOrTag, [
  NUMBER,
  describeTags(TAGS),
]);

/** A block number, a tag, a block hash or an EIP-1898 object (execution-apis). */
export const anyBlock: z.ZodType<BlockReference> = createSchema(parseAnyBlock, describeAnyBlock(TAGS));

/** The same for a method that does not support `safe`. */
export const anyBlockExceptSafe: z.ZodType<BlockReference> = createSchema(
  parseAnyBlock,
  describeAnyBlock(TAGS_EXCEPT_SAFE),
);

/** What a call runs on when no block is given, as in geth. */
export const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };

const BY_TAG: ReadonlyMap<unknown, BlockReference> = new Map(
  TAGS.map((tag): [BlockTag, BlockReference] => [tag, { kind: 'tag', tag }]),
);
const acceptHash = findAcceptor(hash32);

/**
 * Applies the network's rule for `safe` on a method that does not support it (spec 2.8).
 * @throws RpcError when the rule is to reject it. `position` is that of the block parameter.
 */
export function resolveSafeTag(block: BlockReference, position: number, network: Network): BlockReference {
  if (block.kind !== 'tag' || block.tag !== 'safe') return block;
  if (network.safeTag === 'finalized') return { kind: 'tag', tag: 'finalized' };
  throw new RpcError(
    'invalidParams',
    `invalid argument ${position}: the tag "safe" is not supported by this method, use "finalized" instead`,
  );
}

function createSchema(
  parse: (value: unknown) => BlockReference,
  forms: readonly JsonSchema[],
): z.ZodType<BlockReference> {
  const schema = z
    .unknown()
    .transform((value, { issues }) => {
      try {
        return parse(value);
      } catch (error) {
        issues.push({ code: 'custom', message: (error as RangeError).message, input: value });
        return z.NEVER;
      }
    })
    .meta({ title: 'block', oneOf: forms });
  return addAcceptor(schema, (raw) => {
    try {
      return parse(raw);
    } catch {
      return undefined;
    }
  });
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

/** The parsers throw RangeError with the text for the client. */
function parseNumberOrTag(value: unknown): BlockReference {
  if (typeof value !== 'string') {
    throw new RangeError(`expected a block number as hex string or a tag, got ${describeKind(value)}`);
  }
  const tagged = BY_TAG.get(value);
  if (tagged !== undefined) return tagged;
  if (value === '') throw new RangeError('empty hex string');
  const number = parseQuantity(value, 64);
  if (number > MAX_BLOCK_NUMBER) throw new RangeError('block number larger than int64');
  return { kind: 'number', number };
}

function parseAnyBlock(value: unknown): BlockReference {
  if (typeof value === 'string' && value.length === HASH_LENGTH) return parseHash(value, false);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return parseNumberOrTag(value);
  const { blockHash = null, blockNumber = null, requireCanonical = null } = value as Record<string, unknown>;
  if (blockHash !== null && blockNumber !== null) {
    throw new RangeError('cannot specify both blockHash and blockNumber, choose one or the other');
  }
  if (blockHash === null && blockNumber === null) {
    throw new RangeError('expected blockHash or blockNumber in the object');
  }
  if (requireCanonical !== null && typeof requireCanonical !== 'boolean') {
    throw new RangeError(`requireCanonical: expected a boolean, got ${describeKind(requireCanonical)}`);
  }
  return blockHash === null
    ? nameField('blockNumber', () => parseNumberOrTag(blockNumber))
    : nameField('blockHash', () => parseHash(blockHash, requireCanonical === true));
}

function parseHash(value: unknown, requireCanonical: boolean): BlockReference {
  const hash = acceptHash?.(value);
  if (hash !== undefined) return { kind: 'hash', hash, requireCanonical };
  const parsed = hash32.safeParse(value);
  if (parsed.success) return { kind: 'hash', hash: parsed.data, requireCanonical };
  if (typeof value !== 'string') throw new RangeError(`expected a block hash, got ${describeKind(value)}`);
  throw new RangeError(parsed.error.issues[0]?.message ?? 'invalid block hash');
}

function nameField(field: string, parse: () => BlockReference): BlockReference {
  try {
    return parse();
  } catch (error) {
    throw new RangeError(`${field}: ${(error as RangeError).message}`);
  }
}
