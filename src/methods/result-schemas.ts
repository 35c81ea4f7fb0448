/**
 * Schemas of results: the fields of spec section 2, and further fields of execution-apis. The schemas are for documentation and tests; results are
 * not validated at runtime. Networks may add fields of their own.
 */
import * as z from 'zod';
import {
  addressResult,
  dataResult,
  hash32Result,
  quantity64Result,
  quantity256Result,
} from '../rpc/result-scalars.ts';

const bytes8: z.ZodType<string> = z
  .string()
  .regex(/^0x[0-9a-f]{16}$/)
  .meta({ title: '8 bytes' });
const bloom: z.ZodType<string> = z
  .string()
  .regex(/^0x[0-9a-f]{512}$/)
  .meta({ title: '256 bytes' });

/** Header field that exists since a fork. */
const since = (fork: string, schema: z.ZodType): z.ZodOptional<z.ZodType> =>
  schema.meta({ description: `Since ${fork}.` }).optional();

const headerFields = {
  number: quantity64Result,
  hash: hash32Result,
  parentHash: hash32Result,
  nonce: bytes8,
  mixHash: hash32Result,
  sha3Uncles: hash32Result,
  logsBloom: bloom,
  transactionsRoot: hash32Result,
  stateRoot: hash32Result,
  receiptsRoot: hash32Result,
  miner: addressResult,
  difficulty: quantity256Result,
  extraData: dataResult,
  gasLimit: quantity64Result,
  gasUsed: quantity64Result,
  timestamp: quantity64Result,
  baseFeePerGas: since('London', quantity256Result),
  withdrawalsRoot: since('Shanghai', hash32Result),
  blobGasUsed: since('Cancun', quantity64Result),
  excessBlobGas: since('Cancun', quantity64Result),
  parentBeaconBlockRoot: since('Cancun', hash32Result),
  requestsHash: since('Prague', hash32Result),
  blockAccessListHash: since('Amsterdam', hash32Result),
  slotNumber: since('Amsterdam', quantity64Result),
};

const blockFields = { ...headerFields, size: quantity64Result, uncles: z.array(hash32Result) };

/** Fields of a block object that belong to the header. */
export const header: z.ZodType = z.looseObject(headerFields).meta({ title: 'header' });

const withdrawal: z.ZodType = z
  .object({
    index: quantity64Result,
    validatorIndex: quantity64Result,
    address: addressResult,
    amount: quantity64Result,
  })
  .meta({ title: 'withdrawal' });

/** Block object of an uncle (spec 2.1), without `transactions`. */
export const uncleBlock: z.ZodType = z
  .looseObject({ ...blockFields, totalDifficulty: quantity256Result.nullable() })
  .meta({ title: 'block' });

const accessList: z.ZodType = z.array(
  z
    .object({ address: addressResult, storageKeys: z.array(hash32Result) })
    .meta({ title: 'access list entry' }),
);

const authorizationList: z.ZodType = z.array(
  z
    .object({
      chainId: quantity256Result,
      address: addressResult,
      nonce: quantity64Result,
      yParity: quantity64Result,
      r: quantity256Result,
      s: quantity256Result,
    })
    .meta({ title: 'authorization' }),
);

/** Transaction (spec 2.2). The block fields are null while the transaction is pending. */
export const transaction: z.ZodType = z
  .looseObject({
    type: quantity64Result,
    blockHash: hash32Result.nullable(),
    blockNumber: quantity64Result.nullable(),
    blockTimestamp: quantity64Result.nullable().optional(),
    transactionIndex: quantity64Result.nullable(),
    hash: hash32Result,
    from: addressResult,
    to: addressResult.nullable(),
    nonce: quantity64Result,
    value: quantity256Result,
    gas: quantity64Result,
    gasPrice: quantity256Result,
    input: dataResult,
    chainId: quantity256Result.meta({ description: 'Absent without replay protection.' }).optional(),
    maxFeePerGas: quantity256Result.meta({ description: 'Types 2, 3 and 4.' }).optional(),
    maxPriorityFeePerGas: quantity256Result.meta({ description: 'Types 2, 3 and 4.' }).optional(),
    maxFeePerBlobGas: quantity256Result.meta({ description: 'Type 3.' }).optional(),
    accessList: accessList.meta({ description: 'Types 1 to 4.' }).optional(),
    blobVersionedHashes: z.array(hash32Result).meta({ description: 'Type 3.' }).optional(),
    authorizationList: authorizationList.meta({ description: 'Type 4.' }).optional(),
    yParity: quantity64Result.meta({ description: 'Types 1 to 4.' }).optional(),
    v: quantity256Result,
    r: quantity256Result,
    s: quantity256Result,
  })
  .meta({ title: 'transaction' });

/** Unsigned transaction, with the members that geth returns from `eth_fillTransaction`. */
export const filledTransaction: z.ZodType = z
  .object({
    raw: dataResult.meta({ description: 'Bytes of the transaction, with a zero signature.' }),
    tx: z
      .looseObject({
        type: quantity64Result,
        hash: hash32Result.meta({ description: 'Hash of `raw`, not of the signed transaction.' }),
        to: addressResult.nullable(),
        nonce: quantity64Result,
        value: quantity256Result,
        gas: quantity64Result,
        gasPrice: quantity256Result.nullable(),
        maxFeePerGas: quantity256Result.nullable(),
        maxPriorityFeePerGas: quantity256Result.nullable(),
        input: dataResult,
        chainId: quantity256Result.meta({ description: 'Types 2 to 4.' }).optional(),
        maxFeePerBlobGas: quantity256Result.meta({ description: 'Type 3.' }).optional(),
        accessList: accessList.meta({ description: 'Types 2 to 4.' }).optional(),
        blobVersionedHashes: z.array(hash32Result).meta({ description: 'Type 3.' }).optional(),
        authorizationList: authorizationList.meta({ description: 'Type 4.' }).optional(),
        yParity: quantity64Result.meta({ description: 'Types 2 to 4.' }).optional(),
        v: quantity256Result,
        r: quantity256Result,
        s: quantity256Result,
      })
      .meta({ title: 'unsigned transaction' }),
  })
  .meta({ title: 'filled transaction' });

/** Log (spec 2.4). */
export const log: z.ZodType = z
  .looseObject({
    address: addressResult,
    topics: z.array(hash32Result).max(4),
    data: dataResult,
    blockNumber: quantity64Result,
    blockHash: hash32Result,
    blockTimestamp: quantity64Result.optional(),
    transactionHash: hash32Result,
    transactionIndex: quantity64Result,
    logIndex: quantity64Result,
    removed: z.boolean(),
  })
  .meta({ title: 'log' });

/** Block with transactions (spec 2.1), and with fields of later forks. */
export const block: z.ZodType = z
  .looseObject({
    ...blockFields,
    hash: hash32Result.nullable().meta({ description: 'Null while pending.' }),
    nonce: bytes8.nullable().meta({ description: 'Null while pending.' }),
    miner: addressResult.nullable().meta({ description: 'Null while pending.' }),
    transactions: z.union([z.array(hash32Result), z.array(transaction)]),
    withdrawals: since('Shanghai', z.array(withdrawal)),
  })
  .meta({ title: 'block' });

/** Receipt (spec 2.3). */
export const receipt: z.ZodType = z
  .looseObject({
    type: quantity64Result,
    blockHash: hash32Result,
    blockNumber: quantity64Result,
    transactionHash: hash32Result,
    transactionIndex: quantity64Result,
    from: addressResult,
    to: addressResult.nullable(),
    contractAddress: addressResult.nullable(),
    cumulativeGasUsed: quantity64Result,
    gasUsed: quantity64Result,
    effectiveGasPrice: quantity256Result,
    status: quantity64Result.meta({ description: 'Since Byzantium.' }).optional(),
    root: hash32Result.meta({ description: 'State root; before Byzantium.' }).optional(),
    blobGasUsed: quantity64Result.meta({ description: 'Type 3.' }).optional(),
    blobGasPrice: quantity256Result.meta({ description: 'Type 3.' }).optional(),
    logs: z.array(log),
    logsBloom: bloom,
  })
  .meta({ title: 'receipt' });

const indexed = (name: string, schema: z.ZodType): z.ZodType =>
  z.array(z.object({ index: quantity64Result, [name]: schema }).meta({ title: 'change' }));

/** Account that a block accesses, as listed in a block access list (EIP-7928). */
export const accountAccess: z.ZodType = z
  .object({
    address: addressResult,
    storageChanges: z.array(
      z
        .object({ key: hash32Result, changes: indexed('value', hash32Result) })
        .meta({ title: 'slot changes' }),
    ),
    storageReads: z.array(hash32Result).meta({ description: 'Slots that were read and not changed.' }),
    balanceChanges: indexed('value', quantity256Result),
    nonceChanges: indexed('value', quantity64Result),
    codeChanges: indexed('code', dataResult),
  })
  .meta({
    title: 'account access',
    description:
      'Values after a part of the block. `index` is 0 for the calls before its transactions, i + 1 for transaction i, and the next number for withdrawals and what follows them.',
  });

/** Storage words by account. */
export const storageValues: z.ZodType = z
  .record(addressResult, z.array(hash32Result))
  .meta({ title: 'storage values' });

const trieNodes: z.ZodType = z.array(dataResult).meta({ description: 'RLP of trie nodes from the root on.' });

export const accountProof: z.ZodType = z
  .looseObject({
    address: addressResult,
    accountProof: trieNodes,
    balance: quantity256Result,
    codeHash: hash32Result.meta({ description: 'All zeros if the account does not exist.' }),
    nonce: quantity64Result,
    storageHash: hash32Result.meta({ description: 'All zeros if the account does not exist.' }),
    storageProof: z.array(
      z
        .object({
          key: z.union([quantity256Result, hash32Result]).meta({ description: 'Slot as in the request.' }),
          value: quantity256Result,
          proof: trieNodes,
        })
        .meta({ title: 'slot proof' }),
    ),
  })
  .meta({ title: 'account proof' });

/** Gas estimate of a rollup (spec 2.6). */
export const gasEstimate: z.ZodType = z
  .object({
    gasLimit: quantity256Result.meta({ description: 'Recommended gas limit.' }),
    baseFeePerGas: quantity256Result.meta({ description: 'Base fee, Wei per gas.' }),
    priorityFeePerGas: quantity256Result.meta({
      description: 'Priority fee, Wei per gas, including the cost of layer 1.',
    }),
  })
  .meta({ title: 'gas estimate' });

const count: z.ZodType = z.number().int().nonnegative();

/** Rollup node information (spec 2.7). */
export const rollupInfo: z.ZodType = z
  .object({
    mode: z.enum(['sequencer', 'verifier']).meta({ description: 'Role of the node.' }),
    syncing: z.boolean().meta({ description: 'Whether the node is still syncing.' }),
    ethContext: z
      .object({
        blockNumber: count.meta({ description: 'Number of the block; 0 if it is unknown.' }),
        timestamp: count.meta({
          description: 'Timestamp of the block, Unix time in seconds; 0 if it is unknown.',
        }),
      })
      .meta({ title: 'layer 1 context', description: 'The latest layer 1 block.' }),
    rollupContext: z
      .object({
        queueIndex: count.meta({
          description: 'Last layer 1 to layer 2 message ingested; 0 also if it is unknown (docs/rollups.md).',
        }),
        index: count.meta({
          description:
            'Position of the last layer 2 transaction processed: the number of the newest block minus 1.',
        }),
        verifiedIndex: count.meta({
          description:
            'Position of the last transaction ingested from a batch posted to layer 1: the number of its block minus 1.',
        }),
      })
      .meta({ title: 'rollup context' }),
  })
  .meta({ title: 'node information' });

export const subscriptionId: z.ZodType = z
  .string()
  .regex(/^0x[0-9a-f]{32}$/)
  .meta({ title: 'subscription', description: 'Id that its notifications contain.' });
