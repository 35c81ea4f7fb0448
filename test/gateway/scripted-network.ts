import { decodeBlockReference } from '../../src/chain/block-reference.ts';
import {
  type BlockReference,
  type CallRequest,
  type CallScope,
  type Chain,
  type HeaderView,
  UNSUPPORTED,
} from '../../src/chain/chain.ts';
import { ChainError } from '../../src/chain/errors.ts';
import type { Network } from '../../src/gateway/network.ts';
import type { JsonResult } from '../../src/primitives/json-result.ts';
import type { GasEstimate, RollupFamily, RollupInfo } from '../../src/rollup/rollup-family.ts';

const ERROR_STRING =
  '0x08c379a00000000000000000000000000000000000000000000000000000000000000020' +
  '000000000000000000000000000000000000000000000000000000000000000a' +
  '75736572206572726f7200000000000000000000000000000000000000000000';

/**
 * A chain that plays a part: what a call does is written in its `to` address, blocks from 0x64 on do not exist,
 * and every request it gets is kept for the test to look at.
 */
export class ScriptedChain implements Chain {
  readonly chainId: bigint = 1337n;
  readonly isAnswerable: boolean = true;
  readonly requests: CallRequest[] = [];
  readonly blocks: BlockReference[] = [];
  readonly gasLimit: bigint = 30_000_000n;
  running = 0;
  mostRunning = 0;

  async call(request: CallRequest, scope: CallScope): Promise<string> {
    this.requests.push(request);
    this.running++;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    try {
      return await this.#play(request, scope);
    } finally {
      this.running--;
    }
  }

  async estimateGas(request: CallRequest, scope: CallScope): Promise<string> {
    await this.call(request, scope);
    return '"0x5208"';
  }

  async getBlockReceipts(block: BlockReference): Promise<JsonResult | null> {
    this.blocks.push(block);
    return this.#exists(block) ? '[]' : null;
  }

  async getTransactionByBlockAndIndex(block: BlockReference, index: bigint): Promise<string | null> {
    this.blocks.push(block);
    return this.#exists(block) && index < 2n ? `{"transactionIndex":"0x${index.toString(16)}"}` : null;
  }

  async getUncleByBlockAndIndex(block: BlockReference, index: bigint): Promise<string | null> {
    this.blocks.push(block);
    return this.#exists(block) && index === 0n ? '{"uncles":[]}' : null;
  }

  async getHeader(): Promise<HeaderView> {
    return { number: 0x36n, timestamp: 540n, gasLimit: this.gasLimit, extraData: '0x' };
  }

  async request(method: string, params: readonly unknown[]): Promise<string | typeof UNSUPPORTED> {
    if (method !== 'eth_getTransactionCount') return UNSUPPORTED;
    const block = decodeBlockReference(params[1]);
    this.blocks.push(block);
    if (!this.#exists(block)) throw new ChainError('failed', 'header not found');
    return '"0x7"';
  }

  async close(): Promise<void> {}

  #exists(block: BlockReference): boolean {
    return block.kind !== 'number' || block.number < 0x64n;
  }

  async #play({ call }: CallRequest, scope: CallScope): Promise<string> {
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
        throw new ChainError('busy', 'queue full');
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

/** The `to` address that makes a `ScriptedChain` play part `n`. */
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
  return createScriptedNetwork(chain, { rollup: ROLLUP, rollupPrefix: 'linea', ...overrides });
}
