/** Operations of every client and their expected results in plain text, from the service's own answers to raw requests. */
import { addressOf, FACTS } from '../support/development.ts';

const { devnet } = FACTS;

/** Subject of the operations, which every client program gets as JSON. */
export type Subject = {
  readonly account: string;
  readonly other: string;
  readonly token: string;
  /** Calldata of `totalSupply()`. */
  readonly callData: string;
  readonly slot: string;
  /** A block with transactions of every type. */
  readonly block: number;
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly head: number;
};

/** Sends one raw request. @throws Error for an error response */
type Answers = (method: string, ...params: readonly unknown[]) => Promise<unknown>;
type Members = Readonly<Record<string, unknown>>;

const decimal = (quantity: unknown): string => BigInt(String(quantity)).toString();
const countOf = (list: unknown): string => String((list as readonly unknown[]).length);
const member = (object: unknown, name: string): unknown => (object as Members)[name];

/** Operations in the order of the documentation's table. */
export const OPERATIONS = [
  'chainId',
  'blockNumber',
  'gasPrice',
  'priorityFee',
  'feeHistory',
  'balance',
  'balanceAtBlock',
  'nonce',
  'code',
  'storage',
  'proof',
  'blockByNumber',
  'blockByHash',
  'fullBlock',
  'transactionCount',
  'transaction',
  'receipt',
  'blockReceipts',
  'logs',
  'call',
  'estimate',
  'accessList',
  'accountInfo',
  'senderAndNonce',
  'fillTransaction',
] as const;

export type Operation = (typeof OPERATIONS)[number];

/** Readers of each result from raw answers. Numbers are decimal, bytes lower-case hex. */
const EXPECTATIONS: Readonly<Record<Operation, (ask: Answers, subject: Subject) => Promise<string>>> = {
  chainId: async (ask) => decimal(await ask('eth_chainId')),
  blockNumber: async (ask) => decimal(await ask('eth_blockNumber')),
  gasPrice: async (ask) => decimal(await ask('eth_gasPrice')),
  priorityFee: async (ask) => decimal(await ask('eth_maxPriorityFeePerGas')),
  /** Base fees of four blocks and the next. */
  feeHistory: async (ask) => {
    const history = await ask('eth_feeHistory', '0x4', 'latest', [25, 75]);
    return (member(history, 'baseFeePerGas') as readonly unknown[]).map(decimal).join(' ');
  },
  balance: async (ask, { account }) => decimal(await ask('eth_getBalance', account, 'latest')),
  balanceAtBlock: async (ask, { account, block }) =>
    decimal(await ask('eth_getBalance', account, `0x${block.toString(16)}`)),
  nonce: async (ask, { account }) => decimal(await ask('eth_getTransactionCount', account, 'latest')),
  code: async (ask, { token }) => String(await ask('eth_getCode', token, 'latest')),
  storage: async (ask, { token, slot }) => decimal(await ask('eth_getStorageAt', token, slot, 'latest')),
  /** Number of trie nodes in the account's proof. */
  proof: async (ask, { account }) =>
    countOf(member(await ask('eth_getProof', account, [], 'latest'), 'accountProof')),
  blockByNumber: async (ask, { block }) =>
    String(member(await ask('eth_getBlockByNumber', `0x${block.toString(16)}`, false), 'hash')),
  blockByHash: async (ask, { blockHash }) =>
    decimal(member(await ask('eth_getBlockByHash', blockHash, false), 'number')),
  /** Number of transactions in a block with full transaction objects. */
  fullBlock: async (ask, { block }) =>
    countOf(member(await ask('eth_getBlockByNumber', `0x${block.toString(16)}`, true), 'transactions')),
  transactionCount: async (ask, { blockHash }) =>
    decimal(await ask('eth_getBlockTransactionCountByHash', blockHash)),
  transaction: async (ask, { transactionHash }) =>
    decimal(member(await ask('eth_getTransactionByHash', transactionHash), 'nonce')),
  receipt: async (ask, { transactionHash }) =>
    decimal(member(await ask('eth_getTransactionReceipt', transactionHash), 'gasUsed')),
  blockReceipts: async (ask, { block }) =>
    countOf(await ask('eth_getBlockReceipts', `0x${block.toString(16)}`)),
  logs: async (ask, { token }) =>
    countOf(await ask('eth_getLogs', { address: token, fromBlock: '0x0', toBlock: 'latest' })),
  call: async (ask, { token, callData }) =>
    String(await ask('eth_call', { to: token, data: callData }, 'latest')),
  estimate: async (ask, { account, other }) =>
    decimal(await ask('eth_estimateGas', { from: account, to: other, value: '0x1' })),
  accessList: async (ask, { account, token, callData }) =>
    decimal(
      member(
        await ask('eth_createAccessList', { from: account, to: token, data: callData }, 'latest'),
        'gasUsed',
      ),
    ),
  /** Balance in the account info. */
  accountInfo: async (ask, { account }) =>
    decimal(member(await ask('eth_getAccountInfo', account, 'latest'), 'balance')),
  /** Hash of the sender's first transaction. */
  senderAndNonce: async (ask, { account }) =>
    String(member(await ask('eth_getTransactionBySenderAndNonce', account, '0x0'), 'hash')),
  /** Nonce that is filled into a transfer. */
  fillTransaction: async (ask, { account, other }) => {
    const filled = await ask('eth_fillTransaction', { from: account, to: other, value: '0x1' });
    return decimal(member(member(filled, 'tx'), 'nonce'));
  },
};

/** Results of a client by operation, or the error of one that failed. Operations that the client lacks are absent. */
export type Findings = { readonly [K in Operation]?: string | { readonly error: string } };

export function askerOf(url: string): Answers {
  return async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  };
}

export async function findSubject(url: string): Promise<Subject> {
  const block = devnet.everyTypeBlock;
  const found = await askerOf(url)('eth_getBlockByNumber', `0x${block.toString(16)}`, false);
  return {
    account: addressOf('alice'),
    other: addressOf('bob'),
    token: devnet.erc20,
    callData: '0x18160ddd',
    slot: '0x0',
    block,
    blockHash: String(member(found, 'hash')),
    transactionHash: String((member(found, 'transactions') as readonly unknown[])[0]),
    head: devnet.headNumber,
  };
}

/** Runs an operation with raw requests. */
export function readOperation(operation: Operation, ask: Answers, subject: Subject): Promise<string> {
  return EXPECTATIONS[operation](ask, subject);
}

/** Reads the expected result of each operation. */
export async function readExpectations(url: string, subject: Subject): Promise<Record<Operation, string>> {
  const ask = askerOf(url);
  const expected: Partial<Record<Operation, string>> = {};
  for (const operation of OPERATIONS) expected[operation] = await readOperation(operation, ask, subject);
  return expected as Record<Operation, string>;
}

/** Runs the operations of a client one after another. */
export async function runOperations(
  operations: { readonly [K in Operation]?: () => Promise<unknown> },
): Promise<Findings> {
  const findings: Record<string, string | { readonly error: string }> = {};
  for (const [name, run] of Object.entries(operations)) {
    try {
      findings[name] = String(await run()).toLowerCase();
    } catch (error) {
      findings[name] = {
        error:
          String((error as Error).message)
            .split('\n')[0]
            ?.slice(0, 300) ?? '',
      };
    }
  }
  return findings;
}
