import { asText } from '../../../packages/proofs/members.ts';
import { chooseSamples, compareTips, suggestTip } from '../../chain/suggest-tip.ts';
import { UpstreamFault } from '../../pool/fault.ts';
import type { BlockHeader } from '../../pool/heads/block.ts';
import { holdAll } from '../../pool/hold-text.ts';
import { AnswerMemory } from '../../util/answer-memory.ts';
import { Lru } from '../../util/lru.ts';
import { RequestScope, type Trust } from '../../util/request-scope.ts';
import type { BlockRequests } from './block-requests.ts';
import { parseObjectInSlots } from './checks/parse-object.ts';

/** Maximum number of blocks whose tip samples are cached, which is enough for two price suggestions. */
const MAX_BLOCKS = 128;
const HEX = /^0x[0-9a-fA-F]{1,64}$/;
/** Transaction types whose price is `gasPrice`; all later types have `maxFeePerGas` and `maxPriorityFeePerGas`. */
const PRICED: ReadonlySet<unknown> = new Set([undefined, null, '0x0', '0x1']);

type Fields = Readonly<Record<string, unknown>>;
type Sampled = {
  readonly samples: readonly bigint[];
  readonly baseFee: bigint;
  readonly parentHash: string;
};

/** Prices at one head, wei per gas. `trust` is the trust level of the blocks from which they are computed. */
export type DerivedPrice = { readonly tip: bigint; readonly baseFee: bigint; readonly trust: Trust };

/** Time limit for requesting blocks, milliseconds, independent of the caller that started the computation. */
const LIMIT_MS = 20_000;

/**
 * Computes prices from blocks by geth's rule, for networks with mandatory agreement, because the price that a node reports depends on its client.
 * Blocks are requested from the served head downwards, each by the parent hash in its child, and are verified.
 */
export class DerivedPrices {
  readonly #blocks: Pick<BlockRequests, 'getBlock'>;
  readonly #known = new Lru<string, Sampled>(MAX_BLOCKS, Number.POSITIVE_INFINITY);
  /** Head of the last request, and its prices. */
  #last: { readonly hash: string; readonly price: Promise<DerivedPrice> } | undefined;

  constructor(blocks: Pick<BlockRequests, 'getBlock'>) {
    this.#blocks = blocks;
  }

  /** Returns the prices of a head if they are computed or in computation; undefined if the last request was for another head. */
  findKnown({ hash }: BlockHeader): Promise<DerivedPrice> | undefined {
    return this.#last?.hash === hash ? this.#last.price : undefined;
  }

  /** Computes the prices at a head, once for all callers. @throws the error of a failed block request */
  compute(head: BlockHeader, owner: string | undefined): Promise<DerivedPrice> {
    const known = this.findKnown(head);
    if (known !== undefined) return known;
    const scope = new RequestScope(performance.now() + LIMIT_MS);
    scope.owner = owner;
    const price = this.#compute(head, scope);
    const last = { hash: head.hash, price };
    this.#last = last;
    price.catch(() => {
      if (this.#last === last) this.#last = undefined;
    });
    return price;
  }

  async #compute(head: BlockHeader, scope: RequestScope): Promise<DerivedPrice> {
    const newest = await this.#sample(head.hash, scope);
    const chain = [newest];
    const suggestion = suggestTip(head.number);
    let step = suggestion.next();
    while (step.done !== true) {
      const depth = Number(head.number - step.value);
      for (let last = chain.at(-1) ?? newest; chain.length <= depth; last = chain.at(-1) ?? newest)
        chain.push(await this.#sample(last.parentHash, scope));
      step = suggestion.next((chain[depth] ?? newest).samples);
    }
    return { tip: step.value, baseFee: newest.baseFee, trust: scope.trust ?? 'single' };
  }

  async #sample(hash: string, scope: RequestScope): Promise<Sampled> {
    const known = this.#known.get(hash);
    if (known !== undefined) {
      scope.noteTrust('proven');
      return known;
    }
    const inner = scope.derive();
    const memory = (): AnswerMemory => AnswerMemory.of(inner);
    try {
      const block = await this.#blocks.getBlock({ kind: 'hash', hash, requireCanonical: false }, true, inner);
      if (block === null) throw new UpstreamFault('missing', `no node has block ${hash}`);
      const fields = await parseObjectInSlots(
        await holdAll(block, { scope: inner, memory, takesLongBytes: true }),
        inner,
      );
      const trust = inner.trust ?? 'single';
      scope.noteTrust(trust);
      const sampled = {
        samples: readSamples(fields),
        baseFee: readWei(fields['baseFeePerGas']) ?? 0n,
        parentHash: asText(fields['parentHash']),
      };
      if (trust === 'proven') this.#known.set(hash, sampled);
      return sampled;
    } finally {
      inner.release();
    }
  }
}

function readSamples(block: Fields): readonly bigint[] {
  const { transactions, baseFeePerGas, miner } = block;
  const baseFee = readWei(baseFeePerGas) ?? 0n;
  const beneficiary = asText(miner).toLowerCase();
  const list = (Array.isArray(transactions) ? transactions : []) as readonly Fields[];
  const tips = list
    .filter(({ from }) => asText(from).toLowerCase() !== beneficiary)
    .map((transaction) => readTip(transaction, baseFee))
    .filter((tip) => tip !== undefined);
  return chooseSamples(tips.sort(compareTips));
}

/** Returns the tip of a transaction, wei per gas; undefined if it has no gas price, such as a deposit of a rollup. */
function readTip(transaction: Fields, baseFee: bigint): bigint | undefined {
  if (PRICED.has(transaction['type'])) {
    const price = readWei(transaction['gasPrice']);
    return price === undefined ? undefined : price - baseFee;
  }
  const cap = readWei(transaction['maxFeePerGas']);
  const tip = readWei(transaction['maxPriorityFeePerGas']);
  if (cap === undefined || tip === undefined) return undefined;
  const most = cap - baseFee;
  if (most < tip) return most;
  return tip;
}

function readWei(value: unknown): bigint | undefined {
  return typeof value === 'string' && HEX.test(value) ? BigInt(value) : undefined;
}
