import type { LogFilter } from '../../chain/requests.ts';
import { type Codec, isJsonObject, parseWithin } from '../../rpc/codec/codec.ts';
import { listOf } from '../../rpc/codec/list-codec.ts';
import { createBoundError } from '../../rpc/errors.ts';
import type { Param } from '../../rpc/method.ts';
import { createKindProblem, ParamProblem } from '../../rpc/param-problem.ts';
import { anything, boolean, hash32, integer64 } from '../../rpc/schemas.ts';
import { limitOf } from '../../util/bounds.ts';
import { logFilter } from '../log-filter.ts';

/**
 * Start of a subscription: after the block `afterHash`, or from the block number `fromBlock` on. If both are absent, the subscription starts at the
 * head.
 */
export type ResumePoint = { readonly fromBlock?: bigint; readonly afterHash?: string };

/** Log filter in the form of `eth_getLogs`, with an optional start. */
export type LogSubscription = { readonly filter: LogFilter; readonly afterHash?: string };

const hashList = listOf(hash32);

const RESUME_MEMBERS: ReadonlySet<string> = new Set(['fromBlock', 'afterHash']);

const AFTER_HASH = {
  ...hash32.jsonSchema,
  description:
    'Hash of the last block that the client has seen. Events since this block come first, including the removals of a reorg.',
};

/** Start of a subscription. Unknown members are rejected, because a misspelt start would cause a gap. */
const resumePoint: Codec<ResumePoint> = {
  parse(raw) {
    if (!isJsonObject(raw)) throw createKindProblem('object', raw);
    for (const name of Object.keys(raw))
      if (!RESUME_MEMBERS.has(name))
        throw new ParamProblem('unknown member, expected fromBlock or afterHash');
    const { fromBlock = null, afterHash = null } = raw;
    if (fromBlock !== null && afterHash !== null)
      throw new ParamProblem('cannot specify both fromBlock and afterHash, choose one or the other');
    return {
      ...(fromBlock !== null && { fromBlock: parseWithin(integer64, fromBlock, 'fromBlock') }),
      ...(afterHash !== null && { afterHash: parseWithin(hash32, afterHash, 'afterHash') }),
    };
  },
  jsonSchema: {
    title: 'start',
    type: 'object',
    properties: {
      fromBlock: { ...integer64.jsonSchema, description: 'Number of the first block.' },
      afterHash: AFTER_HASH,
    },
    additionalProperties: false,
  },
};

const logSubscription: Codec<LogSubscription> = {
  parse(raw) {
    const filter = logFilter.parse(raw);
    const { afterHash = null } = raw as Readonly<Record<string, unknown>>;
    return afterHash === null
      ? { filter }
      : { filter, afterHash: parseWithin(hash32, afterHash, 'afterHash') };
  },
  jsonSchema: logFilter.jsonSchema,
};

const MAX_HASHES = limitOf('subscriptions.hashes');

/** Hashes of the transactions whose receipts are sent. An empty list means every transaction. Unknown members are ignored, as in geth. */
const receiptFilter: Codec<readonly string[]> = {
  parse(raw) {
    if (!isJsonObject(raw)) throw createKindProblem('object', raw);
    const { transactionHashes: hashes = null } = raw;
    if (hashes === null) return [];
    if (Array.isArray(hashes) && hashes.length > MAX_HASHES)
      throw createBoundError('serverError', 'subscriptions.hashes');
    return parseWithin(hashList, hashes, 'transactionHashes');
  },
  jsonSchema: {
    title: 'receipt filter',
    type: 'object',
    properties: {
      transactionHashes: {
        type: 'array',
        items: hash32.jsonSchema,
        maxItems: MAX_HASHES,
        description: 'Transactions whose receipts are sent. Default: all transactions of every block.',
      },
    },
  },
};

const KIND_SCHEMA = {
  title: 'kind',
  type: 'string',
  enum: ['newHeads', 'logs', 'transactionReceipts', 'newPendingTransactions', 'syncing'],
};

const KIND = { name: 'kind', description: '', required: true, codec: anything } as const;
const START = { name: 'start', description: '', required: false, codec: resumePoint } as const;

/** Parameters of each subscription kind, for parsing. */
export const NEW_HEADS: readonly Param[] = [KIND, START];
export const LOGS: readonly Param[] = [
  KIND,
  { name: 'filter', description: '', required: true, codec: logSubscription },
  START,
];
export const TRANSACTION_RECEIPTS: readonly Param[] = [
  KIND,
  { name: 'filter', description: '', required: false, codec: receiptFilter },
];
export const PENDING_TRANSACTIONS: readonly Param[] = [
  KIND,
  { name: 'fullTransactions', description: '', required: false, codec: boolean },
];
export const SYNCING: readonly Param[] = [KIND];

/** Parameters of all subscription kinds together, for documentation. */
export const SUBSCRIBE_PARAMS: readonly Param[] = [
  {
    name: 'kind',
    description: 'Kind of the events.',
    required: true,
    codec: { ...anything, jsonSchema: KIND_SCHEMA },
  },
  {
    name: 'options',
    description:
      'For `logs`: the filter of `eth_getLogs`, which may also have `afterHash`. For `newHeads`: the block at which to begin. For `transactionReceipts`: the transactions whose receipts are sent. For `newPendingTransactions`: whether to send transaction objects instead of hashes.',
    required: false,
    codec: {
      ...anything,
      jsonSchema: {
        title: 'options',
        oneOf: [
          {
            ...logFilter.jsonSchema,
            title: 'log subscription',
            properties: { ...(logFilter.jsonSchema['properties'] as object), afterHash: AFTER_HASH },
          },
          resumePoint.jsonSchema,
          receiptFilter.jsonSchema,
          boolean.jsonSchema,
        ],
      },
    },
  },
  {
    name: 'start',
    description: 'For `logs`: the block at which to begin.',
    required: false,
    codec: resumePoint,
  },
];
