import { encodeBlockReference } from '../../src/chain/block-reference.ts';
import type { Chain, HeaderView } from '../../src/chain/chain.ts';
import { UNSUPPORTED } from '../../src/chain/errors.ts';
import type { BlockReference, CallRequest } from '../../src/chain/requests.ts';
import type { RollupSources } from '../../src/rollup/rollup-family.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { createFakeChain } from '../support/fake-chain.ts';

export const SCOPE: RequestScope = new RequestScope(Number.POSITIVE_INFINITY);

/** Sources over one chain; everything else is absent by default. */
export function makeSources(chain: Chain, rest: Partial<RollupSources> = {}): RollupSources {
  return {
    chain,
    l1: undefined,
    opNode: undefined,
    mode: 'verifier',
    l1CostMode: 'folded',
    messageService: undefined,
    ...rest,
  };
}

/** Requests to a scripted chain, in order. */
export type Asked = {
  readonly estimates: CallRequest[];
  readonly calls: CallRequest[];
  readonly headers: string[];
  readonly requests: { method: string; params: readonly unknown[] }[];
};

export type Script = {
  /** Linea's by default. */
  readonly chainId?: bigint;
  /** Headers by tag, decimal number or hash. */
  readonly headers?: Readonly<Record<string, HeaderView>>;
  readonly estimate?: (request: CallRequest) => string;
  readonly call?: (request: CallRequest) => string;
  /** Code by address. */
  readonly code?: Readonly<Record<string, string>>;
  /** JSON answers by method; any other method is unsupported. */
  readonly requests?: Readonly<Record<string, string>>;
};

export const PINNED_HASH: string = `0x${'ab'.repeat(32)}`;

/** A header, by default with the prices of a public Linea example. */
export function makeHeader(fields: Partial<HeaderView> = {}): HeaderView {
  return {
    number: 100n,
    hash: PINNED_HASH,
    timestamp: 1_700_000_000n,
    gasLimit: 61_000_000n,
    baseFeePerGas: 7n,
    extraData: `0x010000753000f54e650000ea60${'00'.repeat(19)}`,
    ...fields,
  };
}

/** Creates a chain that answers from a script and records its requests. */
export function createScriptedChain(script: Script): { chain: Chain; requested: Asked } {
  const requested: Asked = { estimates: [], calls: [], headers: [], requests: [] };
  const priceOf = async (method: string): Promise<string | null> => {
    requested.requests.push({ method, params: [] });
    return script.requests?.[method] ?? null;
  };
  const chain = createFakeChain({
    chainId: script.chainId ?? 59_144n,
    execution: {
      async call(request) {
        requested.calls.push(request);
        if (script.call === undefined) throw new Error('unexpected call');
        return script.call(request);
      },
      async estimateGas(request) {
        requested.estimates.push(request);
        if (script.estimate === undefined) throw new Error('unexpected estimate');
        return script.estimate(request);
      },
    },
    blocks: {
      async getHeader(block) {
        requested.headers.push(nameBlock(block));
        return script.headers?.[nameBlock(block)] ?? null;
      },
    },
    state: {
      getCode: async (address) => JSON.stringify(script.code?.[address] ?? '0x'),
      async getTransactionCount(address, block) {
        const params = [address, encodeBlockReference(block)];
        requested.requests.push({ method: 'eth_getTransactionCount', params });
        return script.requests?.['eth_getTransactionCount'] ?? '"0x0"';
      },
    },
    fees: {
      getGasPrice: () => priceOf('eth_gasPrice'),
      getPriorityFee: () => priceOf('eth_maxPriorityFeePerGas'),
      getFeeHistory: () => priceOf('eth_feeHistory'),
    },
    heads: { watch: () => () => {} },
    async request(method, params) {
      requested.requests.push({ method, params });
      return script.requests?.[method] ?? UNSUPPORTED;
    },
  });
  return { chain, requested };
}

function nameBlock(block: BlockReference): string {
  if (block.kind === 'tag') return block.tag;
  return block.kind === 'number' ? block.number.toString() : block.hash;
}
