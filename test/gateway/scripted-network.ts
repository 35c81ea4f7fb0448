import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type {
  BlockReads,
  Chain,
  Executions,
  FeeReads,
  HeaderView,
  HeadReads,
  LogReads,
  NodeReads,
  StateReads,
  TransactionReads,
} from '../../src/chain/chain.ts';
import { ChainError, UNSUPPORTED } from '../../src/chain/errors.ts';
import type { AccessListForm, BlockReference, CallRequest } from '../../src/chain/requests.ts';
import type { Network } from '../../src/methods/network.ts';
import type { GasEstimate, RollupFamily, RollupInfo } from '../../src/rollup/rollup-family.ts';
import type { RequestScope } from '../../src/util/request-scope.ts';
import { createFakeChain } from '../support/fake-chain.ts';

const ERROR_STRING =
  '0x08c379a00000000000000000000000000000000000000000000000000000000000000020' +
  '000000000000000000000000000000000000000000000000000000000000000a' +
  '75736572206572726f7200000000000000000000000000000000000000000000';

/**
 * A scripted chain: a call's `to` address selects its behaviour, blocks from 0x64 on do not exist,
 * and every request is recorded for the test.
 */
export class ScriptedChain implements Chain {
  readonly chainId: bigint = 1337n;
  readonly isAnswerable: boolean = true;
  readonly requests: CallRequest[] = [];
  /** Block references of the requests. */
  readonly references: BlockReference[] = [];
  readonly gasLimit: bigint = 30_000_000n;
  running = 0;
  mostRunning = 0;

  readonly execution: Executions = {
    call: (request, scope) => this.call(request, scope),
    estimateGas: async (request, scope) => {
      await this.call(request, scope);
      return '"0x5208"';
    },
    createAccessList: async (request, scope) => {
      await this.call(request, scope);
      return '{"accessList":[],"gasUsed":"0x5208"}';
    },
    simulate: async ({ block }, scope) => {
      await this.call({ call: {}, block }, scope);
      return '[]';
    },
  };
  readonly blocks: BlockReads = {
    getHeader: () => this.getHeader(),
    getBlock: async (block) => (this.#exists(block) ? '{}' : null),
    getHeaderObject: async (block) => (this.#exists(block) ? '{}' : null),
    findHeaderObject: async () => '{}',
    countTransactions: async (block) => (this.#exists(block) ? '"0x2"' : null),
    countUncles: async (block) => (this.#exists(block) ? '"0x1"' : null),
    getRaw: async (block) => (this.#exists(block) ? '"0xc0"' : null),
    getAccessList: (block, form) => this.#getAccessList(block, form),
    getReceipts: (block) => this.getReceipts(block),
    getUncle: async (block, index) => (this.#exists(block) && index === 0n ? '{"uncles":[]}' : null),
  };
  readonly transactions: TransactionReads = {
    getTransaction: async (transaction) => {
      if ('hash' in transaction) return null;
      const { block, index } = transaction;
      return this.#exists(block) && index < 2n ? `{"transactionIndex":"0x${index.toString(16)}"}` : null;
    },
    getRawTransaction: async () => null,
    getReceipt: async () => null,
    findWaiting: async () => null,
    send: async () => `"0x${'5'.repeat(64)}"`,
  };
  readonly logs: LogReads = {
    getLogs: async ({ blocks }) => {
      if (blocks.kind === 'range') for (const bound of [blocks.from, blocks.to]) this.references.push(bound);
      return '[]';
    },
    getBlockLogs: async () => [],
  };
  readonly heads: HeadReads = {
    served: { number: 54n, hash: `0x${'3'.repeat(64)}` },
    watch: () => () => {},
    watchPending: () => undefined,
  };
  readonly fees: FeeReads = {
    getGasPrice: async () => '"0xb"',
    getPriorityFee: async () => '"0x4"',
    getFeeHistory: async () => '{"oldestBlock":"0x36","gasUsedRatio":[0]}',
    getBaseFee: async () => '"0x7"',
    getBlobBaseFee: async () => 'null',
  };
  /** Node reads; the nodes have no method for their configuration. */
  readonly node: NodeReads = {
    getSyncing: async () => 'false',
    getConfig: async () => null,
    getCapabilities: async () => null,
  };
  readonly state: StateReads = createFakeChain({
    state: {
      getBalance: (_address, block) => this.#readState(block, '"0x10"'),
      getCode: (_address, block) => this.#readState(block, '"0x6001"'),
      getTransactionCount: (_address, block) => this.#readState(block, '"0x7"'),
      getProof: (_address, _slots, block) => this.#readState(block, '{}'),
      getStorageValues: (_requests, block) => this.#readState(block, '{}'),
      getStorageAt: (_address, slot, block) => this.#readState(block, `"${slot}"`),
    },
  }).state;

  async call(request: CallRequest, scope: RequestScope): Promise<string> {
    this.requests.push(request);
    this.running++;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    try {
      return await this.#play(request, scope);
    } finally {
      this.running--;
    }
  }

  async getHeader(): Promise<HeaderView> {
    return { number: 0x36n, timestamp: 540n, gasLimit: this.gasLimit, extraData: '0x' };
  }

  getReceipts(block: BlockReference): PromiseOrValue<JsonResult | null> {
    return this.#exists(block) ? '[]' : null;
  }

  async request(): Promise<typeof UNSUPPORTED> {
    return UNSUPPORTED;
  }

  async close(): Promise<void> {}

  async #readState(block: BlockReference, answer: string): Promise<string> {
    if (!this.#exists(block)) throw new ChainError('failed', 'header not found');
    return answer;
  }

  /** Block 1 is before Amsterdam; the access list of block 2 is not stored. */
  #getAccessList(block: BlockReference, form: AccessListForm): JsonResult | null {
    if (!this.#exists(block)) return null;
    if (block.kind === 'number' && block.number === 1n) throw new ChainError('absent', 'no access list');
    if (block.kind === 'number' && block.number === 2n) throw new ChainError('pruned', 'not kept');
    return form === 'raw' ? '"0xc0"' : '[]';
  }

  #exists(block: BlockReference): boolean {
    this.references.push(block);
    return block.kind !== 'number' || block.number < 0x64n;
  }

  async #play({ call }: CallRequest, scope: RequestScope): Promise<string> {
    switch (call.to?.slice(-2)) {
      case '01':
        throw new ChainError('reverted', 'execution reverted', ERROR_STRING);
      case '02':
        throw new ChainError('failed', 'out of gas');
      case '03':
        throw new ChainError('invalid', 'invalid argument 1: no such state');
      case '04':
        throw new ChainError('timeout', 'execution aborted (timeout = 5s)');
      case '05':
        throw new ChainError('busy', 'executions.waiting');
      case '06':
        throw new TypeError('secret of the request');
      case '07':
        return new Promise(() => {});
      case '08':
        return new Promise((_, reject) => {
          const stop = (): void => reject(new ChainError('aborted', 'aborted'));
          if (scope.signal.aborted) stop();
          else scope.signal.addEventListener('abort', stop);
        });
      case '09':
        return `"0x${'ab'.repeat(1_000)}"`;
      case '0a':
        await new Promise((resolve) => setImmediate(resolve));
        return '"0x0a"';
      default:
        return '"0x"';
    }
  }
}

/** The `to` address that selects behaviour `n` of a `ScriptedChain`. */
export function playing(n: number): string {
  return `0x${n.toString(16).padStart(40, '0')}`;
}

const ROLLUP: RollupFamily = {
  estimateGas: async (): Promise<GasEstimate> => ({
    gasLimit: 21_000n,
    baseFeePerGas: 7n,
    priorityFeePerGas: 2n ** 70n,
  }),
  info: async (): Promise<RollupInfo> => ({
    mode: 'verifier',
    syncing: false,
    ethContext: { blockNumber: 12n, timestamp: 9_007_199_254_740_993n },
    rollupContext: { queueIndex: 0n, index: 9n, verifiedIndex: 8n },
  }),
};

export function createScriptedNetwork(chain: Chain, overrides: Partial<Network> = {}): Network {
  return {
    name: 'scripted',
    chain,
    safeTag: 'reject',
    callTimeoutMs: 5_000,
    allowsDemoKey: true,
    ...overrides,
  };
}

export function createScriptedRollup(chain: Chain, overrides: Partial<Network> = {}): Network {
  return createScriptedNetwork(chain, { rollup: ROLLUP, rollupPrefixes: ['linea'], ...overrides });
}
