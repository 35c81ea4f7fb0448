import type { NodeCall } from '../node-call.ts';
import { ERROR_BYTES, MAX_DEPTH, type ShapeBounds, UNPARSED_SHAPE } from './answer-shape.ts';

/** Bounds on the answer to one request. */
export type AnswerBounds = ShapeBounds & {
  /** Maximum bytes of the whole JSON-RPC response, after decompression. `pool.answerBytes` may be lower. */
  readonly bytes: number;
  /**
   * Whether the request alone determines the maximum length, so that a longer answer counts as a fault of the node. If `isFixed` is false, the caller
   * or the chain determines the maximum length, and an answer that is too long is not a fault of the node.
   */
  readonly isFixed: boolean;
};

const KiB = 1024;
const MiB = 1024 * KiB;

/**
 * Maximum digits of a JSON number. Quantities are JSON strings. The only JSON numbers in answers (ratios, and gas in traces) have fewer than 20
 * digits.
 */
const DIGITS = 256;
/** Maximum nesting of answers other than traces. The deepest known answers, simulated blocks with calls, logs and topics, have eight levels. */
const DEPTH = 32;

/**
 * Bounds for a quantity, a hash, an id, an uncle (a header without transactions), a client version, or a small object such as the result of
 * `eth_syncing`. Errors may contain a page of text.
 */
const SMALL: AnswerBounds = {
  bytes: 64 * KiB,
  values: 1_024,
  bytesPerValue: 64,
  depth: DEPTH,
  textBytes: 64 * KiB,
  digits: DIGITS,
  trimsZeros: true,
  isFixed: true,
};

/** Bounds for a quantity, or an error with the revert data of an execution, which may be long. */
const ESTIMATE: AnswerBounds = { ...SMALL, bytes: ERROR_BYTES + 64 * KiB, textBytes: ERROR_BYTES };

/**
 * Bounds for 1 MiB of code. 1 MiB is far above the limits of deployed code: 24 KiB on Ethereum (EIP-170), the proposed 32 KiB (EIP-7954) and 256 KiB
 * (EIP-7907), and the limits of other chains on which one transaction deploys the code. Hashing 1 MiB of code takes one uninterrupted step of 5 ms.
 */
const CODE: AnswerBounds = { ...SMALL, bytes: 2 * MiB + KiB, textBytes: 2 * MiB + 2 };

/**
 * Maximum size of `extraData`, the only header member of variable length. Validator lists (clique, parlia, QBFT with a seal per validator) take up to
 * 20 KB; the transaction dependencies that bor writes take about 50 KB for 5,000 transactions.
 */
const EXTRA_DATA_BYTES = 128 * KiB;

/** Bounds for a header with up to 120,000 transaction hashes of 69 bytes each. */
const HEADER: AnswerBounds = {
  ...SMALL,
  bytes: 8 * MiB,
  values: 4_096,
  bytesPerValue: 32,
  textBytes: 2 * EXTRA_DATA_BYTES + 2,
};

/** Maximum bytes of one account proof or slot proof: 64 trie nodes of 1,100 characters. */
const PROOF_BYTES = 72 * KiB;
const PROOF: AnswerBounds = { ...HEADER, textBytes: 16 * KiB };

/** Bounds for return or revert data of contracts: one string, up to 20 MiB with 200 million gas of memory, and a few other values. */
const CALL: AnswerBounds = {
  ...SMALL,
  bytes: Number.POSITIVE_INFINITY,
  textBytes: 32 * MiB,
  isFixed: false,
};

/**
 * Bounds for blocks, transactions and access lists: at most one value or name per `bytesPerValue` bytes. In the test vectors (execution-apis,
 * chain-samples), the fewest bytes per value are 12.1 in 2,521 transactions, 14.5 in 439 blocks, and 13.4 in an access list that has only addresses.
 * A short answer may always have 16,384 values, whatever its length.
 */
const OBJECTS: AnswerBounds = {
  ...CALL,
  values: 16_384,
  bytesPerValue: 8,
  depth: MAX_DEPTH,
  // The data of a log or a call in a transaction of 2^24 gas (EIP-7825) takes at most 4.2 MB.
  textBytes: 8 * MiB,
};

/** Bounds for one transaction: enough for its longest string, and for an access list of the same length. */
const TRANSACTION: AnswerBounds = { ...OBJECTS, bytes: 16 * MiB };

/**
 * Bounds for logs and receipts. In the test vectors, the fewest bytes per value are 19.1 in 2,970 logs and 23.3 in 1,223 receipts. A log without
 * topics and data, with short quantities, has 17.2 bytes per value.
 */
const LOGS: AnswerBounds = { ...OBJECTS, bytesPerValue: 12 };

/**
 * Bounds for one receipt. 2^24 gas (EIP-7825) suffice for 44,000 logs without topics and data, which take 20 MB; some rollups allow twice as much
 * gas.
 */
const RECEIPT: AnswerBounds = { ...LOGS, bytes: 64 * MiB };

/** Bounds for simulations. The result of a simulated call without logs and data takes 61 bytes, 6.8 bytes per value. */
const SIMULATIONS: AnswerBounds = { ...OBJECTS, bytesPerValue: 6 };

/**
 * Bounds for block access lists (EIP-7928). The shortest item of an access list is `{"txIndex":"0x1","value":"0x1"}` for a write, and `"0x1",` for a
 * read. Slot values are 32-byte words and not quantities, so their leading zeros are not removed.
 */
const ACCESSES: AnswerBounds = { ...SIMULATIONS, trimsZeros: false };

/** Bounds for `eth_feeHistory` with 1,024 blocks of 100 percentiles; each percentile is at least as long as `"0x0",`. */
const FEES: AnswerBounds = { ...SMALL, bytes: 4 * MiB, values: 131_072, bytesPerValue: 8 };

/** Bounds for lists of pending transaction hashes, 69 bytes each. */
const HASHES: AnswerBounds = { ...HEADER, bytes: 4 * MiB, textBytes: KiB };

/** Bounds for a subscription notification (a header or a hash), or a message that was not requested. */
export const NOTIFICATION: AnswerBounds = { ...HEADER, bytes: 256 * KiB };

/** Bounds for forwarded methods, whose answers are not parsed. */
const PASSED_ON: AnswerBounds = { ...UNPARSED_SHAPE, bytes: Number.POSITIVE_INFINITY, isFixed: false };

/** Maximum size of the answer to a batch, bytes. The answer is buffered, scanned and compared result by result in one step of 12 ms. */
export const BATCH_BYTES: number = 8 * MiB;

type Row = AnswerBounds | ((params: string) => AnswerBounds);

/** A block with full transactions has a length that depends on the chain, and not only on the request. */
const blockRow = (params: string): AnswerBounds => (/true\s*\]$/.test(params) ? OBJECTS : HEADER);

const rowsOf = (row: Row, methods: readonly string[]): (readonly [string, Row])[] =>
  methods.map((method) => [method, row] as const);

/** Bounds by method, for each method that the service itself calls or whose answer it parses. */
const ROWS: ReadonlyMap<string, Row> = new Map<string, Row>([
  ...rowsOf(SMALL, [
    'eth_baseFee',
    'eth_blobBaseFee',
    'eth_blockNumber',
    'eth_chainId',
    'eth_gasPrice',
    'eth_getBalance',
    'eth_getBlockTransactionCountByHash',
    'eth_getBlockTransactionCountByNumber',
    'eth_getStorageAt',
    'eth_getTransactionCount',
    'eth_getUncleByBlockHashAndIndex',
    'eth_getUncleByBlockNumberAndIndex',
    'eth_getUncleCountByBlockHash',
    'eth_getUncleCountByBlockNumber',
    'eth_maxPriorityFeePerGas',
    'eth_newPendingTransactionFilter',
    'eth_sendRawTransaction',
    'eth_subscribe',
    'eth_syncing',
    'eth_uninstallFilter',
    'eth_unsubscribe',
    'net_listening',
    'net_version',
    'web3_clientVersion',
  ]),
  // Methods that identify and describe rollup families and the fork rules of a chain.
  ...rowsOf(SMALL, [
    'admin_sequencerActive',
    'eth_capabilities',
    'eth_config',
    'optimism_syncStatus',
    'rollup_gasPrices',
    'scroll_getL1SyncHeight',
    'scroll_getLatestRelayedQueueIndex',
    'scroll_syncStatus',
    'taiko_headL1Origin',
    'zkevm_consolidatedBlockNumber',
    'zkevm_estimateGasPrice',
    'zks_L1BatchNumber',
  ]),
  ...rowsOf(CODE, ['eth_getCode']),
  ...rowsOf(HEADER, ['eth_getHeaderByHash', 'eth_getHeaderByNumber']),
  ...rowsOf(blockRow, ['eth_getBlockByHash', 'eth_getBlockByNumber']),
  ...rowsOf(proofRow, ['eth_getProof']),
  ...rowsOf(CALL, ['debug_getRawBlock', 'debug_getRawHeader', 'debug_getRawTransaction', 'eth_call']),
  ...rowsOf(CALL, ['eth_getRawTransactionByBlockNumberAndIndex', 'eth_getRawTransactionByHash']),
  ...rowsOf(ESTIMATE, [
    'eth_estimateGas',
    'linea_estimateGas',
    'scroll_estimateL1DataFee',
    'zkevm_estimateFee',
    'zks_estimateFee',
  ]),
  ...rowsOf(TRANSACTION, [
    'eth_getTransactionByBlockHashAndIndex',
    'eth_getTransactionByBlockNumberAndIndex',
    'eth_getTransactionByHash',
    'eth_createAccessList',
  ]),
  ...rowsOf(FEES, ['eth_feeHistory']),
  ...rowsOf(HASHES, ['eth_getFilterChanges']),
  ...rowsOf(OBJECTS, ['debug_getRawBlockAccessList', 'debug_getRawReceipts', 'eth_getStorageValues']),
  ...rowsOf(LOGS, ['eth_getBlockReceipts', 'eth_getLogs']),
  ...rowsOf(RECEIPT, ['eth_getTransactionReceipt', 'eth_sendRawTransactionSync']),
  ...rowsOf(ACCESSES, ['eth_getBlockAccessList']),
  ...rowsOf(SIMULATIONS, ['eth_simulateV1']),
]);

/** Counts the commas in the parameters: each requested slot adds one comma, and one proof in the answer. */
function proofRow(params: string): AnswerBounds {
  let proofs = 1;
  for (let at = params.indexOf(','); at >= 0; at = params.indexOf(',', at + 1)) proofs++;
  return { ...PROOF, bytes: proofs * PROOF_BYTES };
}

/**
 * Returns the bounds on the answer to a request. A method without a row is forwarded.
 * @param params JSON text of the parameters
 */
export function findBounds(method: string, params: string): AnswerBounds {
  const row = ROWS.get(method) ?? PASSED_ON;
  return typeof row === 'function' ? row(params) : row;
}

/** Returns bounds that admit an answer if any of the bounds in `all` admits it. */
export function loosen(all: readonly AnswerBounds[]): AnswerBounds {
  // Bounds are deduplicated, because most batches call one method, and all answers of a method have the same bounds.
  const rows = [...new Set(all)];
  const [first] = rows;
  if (first !== undefined && rows.length === 1) return first;
  const most = (read: (bounds: AnswerBounds) => number): number => Math.max(...rows.map(read));
  return {
    bytes: most(({ bytes }) => bytes),
    values: most(({ values }) => values),
    bytesPerValue: Math.min(...rows.map(({ bytesPerValue }) => bytesPerValue)),
    depth: most(({ depth }) => depth),
    textBytes: most(({ textBytes }) => textBytes),
    digits: most(({ digits }) => digits),
    trimsZeros: rows.some(({ trimsZeros }) => trimsZeros),
    isFixed: rows.every(({ isFixed }) => isFixed),
  };
}

/** Bounds on the answer to a batch. */
export type BatchBounds = {
  /** Bounds of each answer, by the position of its call. */
  readonly answers: readonly AnswerBounds[];
  /** Bounds that admit every answer of the batch: while an answer is scanned, it is not yet known to which call it belongs. */
  readonly shape: ShapeBounds;
  /** Maximum bytes of the whole body. */
  readonly bytes: number;
};

/**
 * Computes the bounds on the answer to a batch.
 * @param limit maximum number of bytes of one batch that the transport buffers
 */
export function findBatchBounds(calls: readonly NodeCall[], limit: number): BatchBounds {
  const answers = calls.map(({ method, params }) => findBounds(method, params));
  const bytes = answers.reduce((sum, bounds) => sum + bounds.bytes, 0);
  return { answers, shape: loosen(answers), bytes: Math.min(limit, bytes) };
}
