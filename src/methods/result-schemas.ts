/**
 * Result schemas (spec section 2, and the fields that execution-apis adds), for documentation and tests; results are not validated
 * at runtime. Networks may add fields of their own.
 */
import * as z from 'zod';
import { address, data, hash32, quantity64, quantity256 } from '../rpc/result-scalars.ts';

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
  number: quantity64,
  hash: hash32,
  parentHash: hash32,
  nonce: bytes8,
  mixHash: hash32,
  sha3Uncles: hash32,
  logsBloom: bloom,
  transactionsRoot: hash32,
  stateRoot: hash32,
  receiptsRoot: hash32,
  miner: address,
  difficulty: quantity256,
  extraData: data,
  gasLimit: quantity64,
  gasUsed: quantity64,
  timestamp: quantity64,
  baseFeePerGas: since('London', quantity256),
  withdrawalsRoot: since('Shanghai', hash32),
  blobGasUsed: since('Cancun', quantity64),
  excessBlobGas: since('Cancun', quantity64),
  parentBeaconBlockRoot: since('Cancun', hash32),
  requestsHash: since('Prague', hash32),
  blockAccessListHash: since('Amsterdam', hash32),
  slotNumber: since('Amsterdam', quantity64),
};

const blockFields = { ...headerFields, size: quantity64, uncles: z.array(hash32) };

/** Block object fields that belong to the header. */
export const header: z.ZodType = z.looseObject(headerFields).meta({ title: 'header' });

const withdrawal: z.ZodType = z
  .object({ index: quantity64, validatorIndex: quantity64, address, amount: quantity64 })
  .meta({ title: 'withdrawal' });

/** Block object of an uncle (spec 2.1), without `transactions`. */
export const uncleBlock: z.ZodType = z
  .looseObject({ ...blockFields, totalDifficulty: quantity256.nullable() })
  .meta({ title: 'block' });

const accessList: z.ZodType = z.array(
  z.object({ address, storageKeys: z.array(hash32) }).meta({ title: 'access list entry' }),
);

const authorizationList: z.ZodType = z.array(
  z
    .object({
      chainId: quantity256,
      address,
      nonce: quantity64,
      yParity: quantity64,
      r: quantity256,
      s: quantity256,
    })
    .meta({ title: 'authorization' }),
);

/** Transaction (spec 2.2). Block fields are null while pending. */
export const transaction: z.ZodType = z
  .looseObject({
    type: quantity64,
    blockHash: hash32.nullable(),
    blockNumber: quantity64.nullable(),
    blockTimestamp: quantity64.nullable().optional(),
    transactionIndex: quantity64.nullable(),
    hash: hash32,
    from: address,
    to: address.nullable(),
    nonce: quantity64,
    value: quantity256,
    gas: quantity64,
    gasPrice: quantity256,
    input: data,
    chainId: quantity256.meta({ description: 'Absent without replay protection.' }).optional(),
    maxFeePerGas: quantity256.meta({ description: 'Types 2, 3 and 4.' }).optional(),
    maxPriorityFeePerGas: quantity256.meta({ description: 'Types 2, 3 and 4.' }).optional(),
    maxFeePerBlobGas: quantity256.meta({ description: 'Type 3.' }).optional(),
    accessList: accessList.meta({ description: 'Types 1 to 4.' }).optional(),
    blobVersionedHashes: z.array(hash32).meta({ description: 'Type 3.' }).optional(),
    authorizationList: authorizationList.meta({ description: 'Type 4.' }).optional(),
    yParity: quantity64.meta({ description: 'Types 1 to 4.' }).optional(),
    v: quantity256,
    r: quantity256,
    s: quantity256,
  })
  .meta({ title: 'transaction' });

/** Unsigned transaction with the members that geth returns. */
export const filledTransaction: z.ZodType = z
  .object({
    raw: data.meta({ description: 'Its bytes, with a signature of zeros.' }),
    tx: z
      .looseObject({
        type: quantity64,
        hash: hash32.meta({ description: 'Of these bytes; the signed transaction has another one.' }),
        to: address.nullable(),
        nonce: quantity64,
        value: quantity256,
        gas: quantity64,
        gasPrice: quantity256.nullable(),
        maxFeePerGas: quantity256.nullable(),
        maxPriorityFeePerGas: quantity256.nullable(),
        input: data,
        chainId: quantity256.meta({ description: 'Types 2 to 4.' }).optional(),
        maxFeePerBlobGas: quantity256.meta({ description: 'Type 3.' }).optional(),
        accessList: accessList.meta({ description: 'Types 2 to 4.' }).optional(),
        blobVersionedHashes: z.array(hash32).meta({ description: 'Type 3.' }).optional(),
        authorizationList: authorizationList.meta({ description: 'Type 4.' }).optional(),
        yParity: quantity64.meta({ description: 'Types 2 to 4.' }).optional(),
        v: quantity256,
        r: quantity256,
        s: quantity256,
      })
      .meta({ title: 'unsigned transaction' }),
  })
  .meta({ title: 'filled transaction' });

/** Log (spec 2.4). */
export const log: z.ZodType = z
  .looseObject({
    address,
    topics: z.array(hash32).max(4),
    data,
    blockNumber: quantity64,
    blockHash: hash32,
    blockTimestamp: quantity64.optional(),
    transactionHash: hash32,
    transactionIndex: quantity64,
    logIndex: quantity64,
    removed: z.boolean(),
  })
  .meta({ title: 'log' });

/** Block with transactions (spec 2.1), and fields of later forks. */
export const block: z.ZodType = z
  .looseObject({
    ...blockFields,
    hash: hash32.nullable().meta({ description: 'Null while pending.' }),
    nonce: bytes8.nullable().meta({ description: 'Null while pending.' }),
    miner: address.nullable().meta({ description: 'Null while pending.' }),
    transactions: z.union([z.array(hash32), z.array(transaction)]),
    withdrawals: since('Shanghai', z.array(withdrawal)),
  })
  .meta({ title: 'block' });

/** Receipt (spec 2.3). */
export const receipt: z.ZodType = z
  .looseObject({
    type: quantity64,
    blockHash: hash32,
    blockNumber: quantity64,
    transactionHash: hash32,
    transactionIndex: quantity64,
    from: address,
    to: address.nullable(),
    contractAddress: address.nullable(),
    cumulativeGasUsed: quantity64,
    gasUsed: quantity64,
    effectiveGasPrice: quantity256,
    status: quantity64.meta({ description: 'Since Byzantium.' }).optional(),
    root: hash32.meta({ description: 'State root; before Byzantium.' }).optional(),
    blobGasUsed: quantity64.meta({ description: 'Type 3.' }).optional(),
    blobGasPrice: quantity256.meta({ description: 'Type 3.' }).optional(),
    logs: z.array(log),
    logsBloom: bloom,
  })
  .meta({ title: 'receipt' });

const indexed = (name: string, schema: z.ZodType): z.ZodType =>
  z.array(z.object({ index: quantity64, [name]: schema }).meta({ title: 'change' }));

/** Account accessed by a block (EIP-7928). */
export const accountAccess: z.ZodType = z
  .object({
    address,
    storageChanges: z.array(
      z.object({ key: hash32, changes: indexed('value', hash32) }).meta({ title: 'slot changes' }),
    ),
    storageReads: z.array(hash32).meta({ description: 'Slots that were read and not changed.' }),
    balanceChanges: indexed('value', quantity256),
    nonceChanges: indexed('value', quantity64),
    codeChanges: indexed('code', data),
  })
  .meta({
    title: 'account access',
    description:
      'Values after a part of the block. `index` is 0 for the calls before its transactions, i + 1 for transaction i, and the next number for withdrawals and what follows them.',
  });

/** Storage words by account. */
export const storageValues: z.ZodType = z.record(address, z.array(hash32)).meta({ title: 'storage values' });

const trieNodes: z.ZodType = z.array(data).meta({ description: 'RLP of the nodes from the root on.' });

export const accountProof: z.ZodType = z
  .looseObject({
    address,
    accountProof: trieNodes,
    balance: quantity256,
    codeHash: hash32.meta({ description: 'All zeros where there is no such account.' }),
    nonce: quantity64,
    storageHash: hash32.meta({ description: 'All zeros where there is no such account.' }),
    storageProof: z.array(
      z
        .object({
          key: z.union([quantity256, hash32]).meta({ description: 'As it was asked for.' }),
          value: quantity256,
          proof: trieNodes,
        })
        .meta({ title: 'slot proof' }),
    ),
  })
  .meta({ title: 'account proof' });

/** Gas estimate of a rollup (spec 2.6). */
export const gasEstimate: z.ZodType = z
  .object({
    gasLimit: quantity256.meta({ description: 'Recommended gas limit.' }),
    baseFeePerGas: quantity256.meta({ description: 'Base fee, Wei per gas.' }),
    priorityFeePerGas: quantity256.meta({
      description: 'Priority fee, Wei per gas, including the cost of layer 1.',
    }),
  })
  .meta({ title: 'gas estimate' });

const count: z.ZodType = z.number().int().nonnegative();

/** Rollup node information (spec 2.7). */
export const rollupInfo: z.ZodType = z
  .object({
    mode: z.enum(['sequencer', 'verifier']),
    syncing: z.boolean(),
    ethContext: z
      .object({ blockNumber: count, timestamp: count })
      .meta({ title: 'layer 1 context', description: 'The latest layer 1 block.' }),
    rollupContext: z
      .object({
        queueIndex: count.meta({ description: 'Last layer 1 to layer 2 message ingested.' }),
        index: count.meta({ description: 'Last layer 2 transaction processed.' }),
        verifiedIndex: count.meta({
          description: 'Last transaction ingested from a batch posted to layer 1.',
        }),
      })
      .meta({ title: 'rollup context' }),
  })
  .meta({ title: 'node information' });

export const subscriptionId: z.ZodType = z
  .string()
  .regex(/^0x[0-9a-f]{32}$/)
  .meta({ title: 'subscription', description: 'What its notifications are named by.' });
