import type { LogBlocks, LogBound, LogFilter } from '../chain/requests.ts';
import { type Codec, parseWithin } from '../rpc/codec/codec.ts';
import { createBoundError } from '../rpc/errors.ts';
import { createKindProblem, ParamProblem } from '../rpc/param-problem.ts';
import { hash32 } from '../rpc/schemas.ts';
import { limitOf } from '../util/bounds.ts';
import { anyBlockNumberOrTag, DEFAULT_BLOCK } from './block-reference.ts';

/** Maximum topics of a log: the opcodes LOG0 to LOG4 write up to 4. */
const MAX_TOPICS = 4;
/**
 * Maximum alternatives at one position: addresses, or topics. As in geth, too many topics are a malformed filter, and too many addresses have their
 * own error code.
 */
const MAX_ALTERNATIVES = limitOf('logs.values');

type Members = Readonly<Record<string, unknown>>;

const ADDRESS = { title: 'address', type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' };
const TOPIC = { title: '32 bytes', type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' };
const NONE = { type: 'null' };

/** Log filter in the form of execution-apis `Filter`. Unknown members are ignored, and `null` counts as absent, as in geth. */
export const logFilter: Codec<LogFilter> = {
  parse: parseFilter,
  jsonSchema: {
    title: 'filter',
    type: 'object',
    properties: {
      fromBlock: { ...anyBlockNumberOrTag.jsonSchema, description: 'First block. Default: the head.' },
      toBlock: { ...anyBlockNumberOrTag.jsonSchema, description: 'Last block. Default: the head.' },
      blockHash: { ...hash32.jsonSchema, description: 'Hash of one block, instead of a range.' },
      address: {
        description: 'Address of the contract, or a list of addresses of which one must match.',
        oneOf: [NONE, ADDRESS, { type: 'array', items: ADDRESS }],
      },
      topics: {
        description:
          'For each position: a topic, a list of alternatives, or `null` for any topic. A log with fewer topics does not match.',
        type: 'array',
        maxItems: MAX_TOPICS,
        items: {
          oneOf: [
            NONE,
            TOPIC,
            { type: 'array', maxItems: MAX_ALTERNATIVES, items: { oneOf: [NONE, TOPIC] } },
          ],
        },
      },
    },
  },
};

const COVERED_VALUES = 100;

/** Returns the number of addresses and topics above the number that the base credits include, in hundreds rounded up. */
export function countFurtherValues({ addresses, topics }: Pick<LogFilter, 'addresses' | 'topics'>): number {
  const values = topics.reduce((sum, { length }) => sum + length, addresses.length);
  return Math.ceil(Math.max(0, values - COVERED_VALUES) / COVERED_VALUES);
}

/**
 * Parses a log filter.
 * @throws ParamProblem in geth's words; RpcError for more than `logs.values` addresses
 */
function parseFilter(value: unknown): LogFilter {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw createKindProblem('object', value);
  }
  const members = value as Members;
  const blocks = parseBlocks(members);
  return { blocks, addresses: parseAddresses(members['address']), topics: parseTopics(members['topics']) };
}

function parseBlocks({ blockHash = null, fromBlock = null, toBlock = null }: Members): LogBlocks {
  if (blockHash !== null) {
    const hash = parseWithin(hash32, blockHash, 'blockHash');
    if (fromBlock === null && toBlock === null) return { kind: 'block', hash };
    parseBound('fromBlock', fromBlock);
    parseBound('toBlock', toBlock);
    throw new ParamProblem('cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other');
  }
  return { kind: 'range', from: parseBound('fromBlock', fromBlock), to: parseBound('toBlock', toBlock) };
}

function parseBound(name: string, value: unknown): LogBound {
  return (value === null ? DEFAULT_BLOCK : parseWithin(anyBlockNumberOrTag, value, name)) as LogBound;
}

function parseAddresses(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return [parseFixedData(value, 20, 'address', 'invalid address: ')];
  if (!Array.isArray(value)) throw new ParamProblem('invalid addresses in query');
  // The count is checked before the addresses are parsed, because a body can contain 90,000 addresses.
  if (value.length > MAX_ALTERNATIVES) throw createBoundError('serverError', 'logs.values');
  return value.map((item: unknown, index) => {
    if (typeof item !== 'string') throw new ParamProblem(`non-string address at index ${index}`);
    return parseFixedData(item, 20, 'address', `invalid address at index ${index}: `);
  });
}

function parseTopics(value: unknown): readonly (readonly string[])[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw createKindProblem('array', value).within('topics');
  if (value.length > MAX_TOPICS) throw new ParamProblem('exceed max topics');
  return value.map((item: unknown) => {
    if (item === null) return [];
    if (typeof item === 'string') return [parseFixedData(item, 32, 'topic')];
    if (!Array.isArray(item)) throw new ParamProblem('invalid topic(s)');
    return parseAlternatives(item);
  });
}

function parseAlternatives(items: readonly unknown[]): readonly string[] {
  if (items.length > MAX_ALTERNATIVES) throw new ParamProblem('exceed max topics');
  const alternatives: string[] = [];
  for (const item of items) {
    // `null` matches any topic. geth ignores the alternatives after a `null`.
    if (item === null) return [];
    if (typeof item !== 'string') throw new ParamProblem('invalid topic(s)');
    alternatives.push(parseFixedData(item, 32, 'topic'));
  }
  return alternatives;
}

const HEX_DIGITS = /^[0-9a-f]*$/;

/**
 * Checks hex data of a fixed length in bytes.
 * @returns the data in lower case
 * @throws ParamProblem in geth's words
 */
function parseFixedData(value: string, length: number, what: string, prefix = ''): string {
  const text = value.toLowerCase();
  const digits = text.length - 2;
  let problem: string | undefined;
  if (text === '') problem = 'empty hex string';
  else if (!text.startsWith('0x')) problem = 'hex string without 0x prefix';
  else if (!HEX_DIGITS.test(text.slice(2))) problem = 'invalid hex string';
  else if (digits % 2 !== 0) problem = 'hex string of odd length';
  else if (digits !== 2 * length) {
    problem = `hex has invalid length ${digits / 2} after decoding; expected ${length} for ${what}`;
  }
  if (problem !== undefined) throw new ParamProblem(prefix + problem);
  return text;
}
