import type { NodeCall } from '../node-call.ts';
import { ERROR_BYTES, MAX_DEPTH, type ShapeBounds, UNPARSED_SHAPE } from './answer-shape.ts';

/** Bounds on the answer to one question. */
export type AnswerBounds = ShapeBounds & {
  /** The whole answer with its envelope, after decompression. `pool.answerBytes` may be less. */
  readonly bytes: number;
  /**
   * Whether the question alone decides how long an answer may be: then a longer one is the node's fault. Otherwise the caller or the
   * chain decides, and the call fails without blame.
   */
  readonly isFixed: boolean;
};

const KiB = 1024;
const MiB = 1024 * KiB;

/** No number in an answer is longer: quantities are strings, and ratios and gas have fewer than 20 digits. */
const DIGITS = 256;
/** Levels of what is not a trace: simulated blocks with calls, logs and topics have eight. */
const DEPTH = 32;

/** A quantity, a hash, an id, an uncle, which is a header without transactions, a client's version, a small object such as that of `eth_syncing`; errors with a page of text. */
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

/** A quantity, or what an execution reverts with: the longest error. */
const ESTIMATE: AnswerBounds = { ...SMALL, bytes: ERROR_BYTES + 64 * KiB, textBytes: ERROR_BYTES };

/**
 * 1 MiB of code: Ethereum's 24 KiB (EIP-170), and the 32 KiB and 256 KiB that EIP-7954 and EIP-7907 propose, are far less, and so is what other chains
 * take in one transaction. It is hashed in one piece, 5 ms.
 */
const CODE: AnswerBounds = { ...SMALL, bytes: 2 * MiB + KiB, textBytes: 2 * MiB + 2 };

/**
 * 128 KiB of `extraData`, which is the only member of a header that may be of any length: heads, their ancestors and blocks keep it. Lists of validators (clique, parlia,
 * QBFT with a seal of each) have up to 20 KB; with the dependencies of transactions that bor writes there, 5,000 of them have some 50 KB.
 */
const EXTRA_DATA_BYTES = 128 * KiB;

/** A header with the hashes of its transactions, 69 bytes each: 120,000 of them. */
const HEADER: AnswerBounds = {
  ...SMALL,
  bytes: 8 * MiB,
  values: 4_096,
  bytesPerValue: 32,
  textBytes: 2 * EXTRA_DATA_BYTES + 2,
};

/** The proof of an account, and of each slot: 64 nodes of 1,100 characters. */
const PROOF_BYTES = 72 * KiB;
const PROOF: AnswerBounds = { ...HEADER, textBytes: 16 * KiB };

/** What contracts return or revert with: one string, which 200 million gas of memory make 20 MiB long, and few values around it. */
const CALL: AnswerBounds = {
  ...SMALL,
  bytes: Number.POSITIVE_INFINITY,
  textBytes: 32 * MiB,
  isFixed: false,
};

/**
 * Blocks, transactions and access lists: a value or a name in at most so many bytes. In 2,521 transactions and 439 blocks of the vectors (execution-apis,
 * chain-samples) the least is 12.1 and 14.5, and an access list of addresses alone has 13.4. Short answers have 16,384 in any case.
 */
const OBJECTS: AnswerBounds = {
  ...CALL,
  values: 16_384,
  bytesPerValue: 8,
  depth: MAX_DEPTH,
  // The data of a log or of a call in a transaction of 2^24 gas (EIP-7825) has 4.2 MB at most.
  textBytes: 8 * MiB,
};

/** One of them, with the longest string beside an access list as long. */
const TRANSACTION: AnswerBounds = { ...OBJECTS, bytes: 16 * MiB };

/** Logs and receipts: the least in 2,970 logs and 1,223 receipts of the vectors is 19.1 and 23.3; a log without topics and data, with short quantities, has 17.2. */
const LOGS: AnswerBounds = { ...OBJECTS, bytesPerValue: 12 };

/** 2^24 gas (EIP-7825) are 44,000 logs without topics and data, 20 MB; some rollups let a transaction have twice as much. */
const RECEIPT: AnswerBounds = { ...LOGS, bytes: 64 * MiB };

/** Simulations: the result of a call without logs and data has 6.8 in 61 bytes. */
const SIMULATIONS: AnswerBounds = { ...OBJECTS, bytesPerValue: 6 };

/** What a block has read and changed, values of slots as words: a change of one digit is `{"txIndex":"0x1","value":"0x1"}`, a slot that was read `"0x1",`. */
const ACCESSES: AnswerBounds = { ...SIMULATIONS, trimsZeros: false };

/** 1,024 blocks of 100 percentiles, each as short as `"0x0",`. */
const FEES: AnswerBounds = { ...SMALL, bytes: 4 * MiB, values: 131_072, bytesPerValue: 8 };

/** Hashes of transactions that wait, 69 bytes each. */
const HASHES: AnswerBounds = { ...HEADER, bytes: 4 * MiB, textBytes: KiB };

/** What a subscription announces, a header or a hash; and a message that nobody waits for. */
export const NOTIFICATION: AnswerBounds = { ...HEADER, bytes: 256 * KiB };

/** Methods that are passed on: the answer is not parsed. */
const PASSED_ON: AnswerBounds = { ...UNPARSED_SHAPE, bytes: Number.POSITIVE_INFINITY, isFixed: false };

/** An answer to a batch is held, scanned, and each of its results compared, as a whole: 12 ms. */
export const BATCH_BYTES: number = 8 * MiB;

type Row = AnswerBounds | ((params: string) => AnswerBounds);

/** Whole transactions make a block as long as the chain lets it be. */
const blockRow = (params: string): AnswerBounds => (/true\s*\]$/.test(params) ? OBJECTS : HEADER);

const rowsOf = (row: Row, methods: readonly string[]): (readonly [string, Row])[] =>
  methods.map((method) => [method, row] as const);

/** One row for each question that the service asks on its own account, or reads the answer of. */
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
  // What rollup families and the rules of a chain are recognised and described by.
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

/** Each slot that is asked for adds a proof, and a comma to the parameters. */
function proofRow(params: string): AnswerBounds {
  let proofs = 1;
  for (let at = params.indexOf(','); at >= 0; at = params.indexOf(',', at + 1)) proofs++;
  return { ...PROOF, bytes: proofs * PROOF_BYTES };
}

/** The bounds on the answer to a question. A method without a row is passed on. @param params JSON text */
export function findBounds(method: string, params: string): AnswerBounds {
  const row = ROWS.get(method) ?? PASSED_ON;
  return typeof row === 'function' ? row(params) : row;
}

/** Bounds that are as loose as the loosest of several. */
export function loosen(all: readonly AnswerBounds[]): AnswerBounds {
  // Calls of a batch are mostly of one method, whose answers have one row.
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

/** Bounds of the answer to a batch. */
export type BatchBounds = {
  /** For each answer by the position of its call. */
  readonly answers: readonly AnswerBounds[];
  /** Loose enough for any of them: an answer is scanned before it is known which call it names. */
  readonly shape: ShapeBounds;
  /** The whole body. */
  readonly bytes: number;
};

/** @param limit bytes that the transport holds of one batch at most */
export function findBatchBounds(calls: readonly NodeCall[], limit: number): BatchBounds {
  const answers = calls.map(({ method, params }) => findBounds(method, params));
  const bytes = answers.reduce((sum, bounds) => sum + bounds.bytes, 0);
  return { answers, shape: loosen(answers), bytes: Math.min(limit, bytes) };
}
