/** Requests of clients, one row per method. */
import type { Checkpoint } from '../../src/pool/options.ts';
import { askResult, type Request, type Truth } from './truth.ts';
import type { ObjectKind } from './uncovered.ts';

export type AskedQuestion = Request & {
  /** Kind of the answer's object, which names its members; objects of lists below it have their own kinds. */
  readonly of: ObjectKind;
  /** Whether roots cover the answer; otherwise it must not be marked as verified. */
  readonly isCovered: boolean;
  /** A block of the true chain above the requested one. */
  readonly checkpoint: Checkpoint;
};

type Subject = {
  readonly block: SampleBlock;
  readonly number: string;
  readonly hash: string;
  readonly transactions: readonly SampleTransaction[];
  readonly account: string;
};

type SampleTransaction = { readonly hash: string; readonly type?: string; readonly from: string };

type SampleBlock = {
  readonly number: string;
  readonly hash: string;
  readonly stateRoot: string;
  readonly transactions: readonly SampleTransaction[];
  readonly uncles: readonly string[];
  readonly withdrawals?: readonly unknown[];
};

type Row = {
  readonly method: string;
  readonly of: ObjectKind;
  readonly isCovered: boolean;
  readonly params: (subject: Subject) => readonly (readonly unknown[])[];
};

const covered = (method: string, of: ObjectKind, params: Row['params']): Row => ({
  method,
  of,
  isCovered: true,
  params,
});
const told = (method: string, params: Row['params']): Row => ({
  method,
  of: 'other',
  isCovered: false,
  params,
});

const SLOT = `0x${'00'.repeat(32)}`;
/** Root of an empty state, which anvil's genesis block has, whatever its state is. */
const NO_STATE = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
/** Row of a method that reads the state of a block. */
const state = (method: string, params: (subject: Subject) => readonly unknown[]): Row =>
  covered(method, 'other', (subject) => (subject.block.stateRoot === NO_STATE ? [] : [params(subject)]));
/** Row of a method that reads an account: `what` stands between the account and the block. */
const account = (method: string, ...what: readonly unknown[]): Row =>
  state(method, ({ account, number }) => [account, ...what, number]);
/** Row of a method that calls an account without data. */
const call = (method: string): Row => told(method, ({ account, number }) => [[{ to: account }, number]]);

/** Number of a block's transactions that are requested one by one. */
const TRANSACTIONS = 2;

const byNumber: Row['params'] = ({ number }) => [[number]];
const byHash: Row['params'] = ({ hash }) => [[hash]];
const byTransaction: Row['params'] = ({ transactions }) =>
  transactions.slice(0, TRANSACTIONS).map(({ hash }) => [hash]);
const byNumberAndIndex: Row['params'] = ({ number, transactions }) =>
  transactions.slice(-TRANSACTIONS).map((_, i, { length }) => [number, at(transactions.length - length + i)]);
const byHashAndIndex: Row['params'] = ({ hash, transactions }) =>
  transactions.length > 0 ? [[hash, '0x0']] : [];
const uncleAt =
  (name: 'number' | 'hash'): Row['params'] =>
  (subject) =>
    subject.block.uncles.map((_, index) => [subject[name], at(index)]);

const ROWS: readonly Row[] = [
  covered('eth_getBlockByNumber', 'block', ({ number }) => [
    [number, true],
    [number, false],
  ]),
  covered('eth_getBlockByHash', 'block', ({ hash }) => [
    [hash, true],
    [hash, false],
  ]),
  covered('eth_getHeaderByNumber', 'block', byNumber),
  covered('eth_getHeaderByHash', 'block', byHash),
  covered('eth_getBlockTransactionCountByNumber', 'other', byNumber),
  covered('eth_getBlockTransactionCountByHash', 'other', byHash),
  covered('eth_getUncleCountByBlockNumber', 'other', byNumber),
  covered('eth_getUncleCountByBlockHash', 'other', byHash),
  covered('eth_getUncleByBlockNumberAndIndex', 'block', uncleAt('number')),
  covered('eth_getUncleByBlockHashAndIndex', 'block', uncleAt('hash')),
  covered('eth_getBlockReceipts', 'receipt', ({ number, hash }) => [[number], [hash]]),
  covered('eth_getTransactionByHash', 'transaction', byTransaction),
  covered('eth_getTransactionByBlockNumberAndIndex', 'transaction', byNumberAndIndex),
  covered('eth_getTransactionByBlockHashAndIndex', 'transaction', byHashAndIndex),
  covered('eth_getTransactionReceipt', 'receipt', byTransaction),
  covered('eth_getRawTransactionByHash', 'other', byTransaction),
  covered('eth_getRawTransactionByBlockNumberAndIndex', 'other', byNumberAndIndex),
  covered('eth_getRawTransactionByBlockHashAndIndex', 'other', byHashAndIndex),
  covered('debug_getRawTransaction', 'other', byTransaction),
  covered('debug_getRawBlock', 'other', byNumber),
  covered('debug_getRawHeader', 'other', byNumber),
  covered('debug_getRawReceipts', 'other', byNumber),
  account('eth_getBalance'),
  account('eth_getTransactionCount'),
  account('eth_getCode'),
  account('eth_getStorageAt', '0x0'),
  state('eth_getStorageValues', ({ account, number }) => [{ [account]: [SLOT] }, number]),
  account('eth_getProof', ['0x0']),
  covered('eth_getLogs', 'log', ({ number }) => [[{ fromBlock: number, toBlock: number }]]),
  call('eth_call'),
  call('eth_estimateGas'),
  call('eth_createAccessList'),
  told('eth_feeHistory', ({ number }) => [['0x2', number, []]]),
];

/** Lists requests about blocks of different kinds. */
export async function listQuestions(truth: Truth, maxBlocks: number): Promise<readonly AskedQuestion[]> {
  const blocks = await chooseBlocks(truth, maxBlocks);
  const lists = blocks.map(async (block) => {
    const checkpoint = await findCheckpoint(truth, block);
    const { number, hash, transactions } = block;
    const account = transactions[0]?.from ?? `0x${'11'.repeat(20)}`;
    const subject: Subject = { block, number, hash, transactions, account };
    return ROWS.flatMap(({ method, of, isCovered, params }) =>
      params(subject).map((each) => ({ method, of, isCovered, params: each, checkpoint })),
    );
  });
  return (await Promise.all(lists)).flat();
}

async function findCheckpoint(truth: Truth, { number }: SampleBlock): Promise<Checkpoint> {
  const head = Number(await askResult(truth, 'eth_blockNumber'));
  const above = Math.min(head, Number(number) + CHECKPOINT_ABOVE);
  const { hash } = (await askResult(truth, 'eth_getBlockByNumber', at(above), false)) as SampleBlock;
  return { number: BigInt(above), hash };
}

/** Distance from the requested block to the checkpoint: the blocks between them, plus one. */
const CHECKPOINT_ABOVE = 3;
/** Number of a block's transactions of which each leaf is changed. */
const MAX_TRANSACTIONS = 8;

/** Chooses blocks among the newest 100, each time the one with the most new kinds: transaction types, uncles, withdrawals, no transactions, genesis block. */
async function chooseBlocks(truth: Truth, maxBlocks: number): Promise<readonly SampleBlock[]> {
  const head = Number(await askResult(truth, 'eth_blockNumber'));
  const blocks: SampleBlock[] = [];
  for (let number = head; number >= 0 && number > head - 100; number--) {
    const block = (await askResult(truth, 'eth_getBlockByNumber', at(number), true)) as SampleBlock | null;
    if (block !== null && block.transactions.length <= MAX_TRANSACTIONS) blocks.push(block);
  }
  const seen = new Set<string>();
  const chosen: SampleBlock[] = [];
  while (chosen.length < maxBlocks) {
    const newOf = (block: SampleBlock): number => kindsOf(block).filter((kind) => !seen.has(kind)).length;
    const best = blocks.reduce<SampleBlock | undefined>(
      (a, b) => (a === undefined || newOf(b) > newOf(a) ? b : a),
      undefined,
    );
    if (best === undefined || newOf(best) === 0) break;
    for (const kind of kindsOf(best)) seen.add(kind);
    chosen.push(best);
  }
  return chosen;
}

function kindsOf({ number, transactions, uncles, withdrawals }: SampleBlock): readonly string[] {
  return [
    ...transactions.map(({ type }) => `type ${type}`),
    ...(uncles.length > 0 ? [`uncles ${uncles.length}`] : []),
    ...(withdrawals !== undefined && withdrawals.length > 0 ? ['withdrawals'] : []),
    ...(transactions.length === 0 ? ['empty'] : []),
    ...(number === '0x0' ? ['genesis'] : []),
  ];
}

function at(number: number): string {
  return `0x${number.toString(16)}`;
}
