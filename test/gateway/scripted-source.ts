import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { JsonResult, JsonStream } from '../../packages/ethereum/primitives/json-result.ts';
import { ChainError } from '../../src/chain/errors.ts';
import type { BlockReference } from '../../src/chain/requests.ts';
import { ScriptedChain } from './scripted-network.ts';

/** Behaviour of a source. Its value is an array of strings, one per piece. */
export type SourcePlan = {
  /** `Infinity` for a source that never ends. */
  readonly pieces: number;
  /** Approximate size of each piece, bytes. */
  readonly pieceBytes: number;
  /** The source fails instead of yielding this piece; equal to `pieces` it fails after the last. */
  readonly breakAt?: number;
  /** Whether the strings are random: they cannot be compressed, nor be reproduced by `valueFrom`. */
  readonly isRandom?: boolean;
  /** Resolves when piece `n` may be yielded. */
  readonly pause?: (piece: number) => Promise<unknown>;
};

/** A source of a large value that is produced on demand; it counts the pieces taken. */
export class ScriptedSource implements JsonStream {
  readonly #plan: SourcePlan;
  readonly #cancelled: Promise<void>;
  #letGo: () => void = () => {};
  taken = 0;
  isCancelled = false;

  constructor(plan: SourcePlan) {
    this.#plan = plan;
    this.#cancelled = new Promise((resolve) => {
      this.#letGo = resolve;
    });
  }

  get pieces(): AsyncIterable<Uint8Array> {
    return this.#produce();
  }

  cancel(): void {
    this.isCancelled = true;
    this.#letGo();
  }

  async *#produce(): AsyncGenerator<Uint8Array, void, undefined> {
    const { pieces, breakAt, pause = (): Promise<unknown> => setImmediate() } = this.#plan;
    for (let n = 0; n < pieces; n++) {
      await Promise.race([pause(n), this.#cancelled]);
      if (this.isCancelled) throw new ChainError('aborted', 'cancelled');
      if (n === breakAt) break;
      this.taken++;
      yield Buffer.from(encodePiece(this.#plan, n));
    }
    if (breakAt !== undefined) throw new ChainError('unavailable', 'the node hung up');
  }
}

function encodePiece({ pieces, pieceBytes, isRandom = false }: SourcePlan, n: number): string {
  const filler = isRandom ? randomBytes((pieceBytes * 3) / 4).toString('base64') : 'é'.repeat(pieceBytes / 2);
  return `${n === 0 ? '[' : ','}"${n}:${filler}"${n === pieces - 1 ? ']' : ''}`;
}

/** Returns the whole value of a source that does not fail. */
export function valueFrom(plan: SourcePlan): string {
  return Array.from({ length: plan.pieces }, (_, n) => encodePiece(plan, n)).join('');
}

/** Answers the receipts of block n with a source of the n-th plan. */
export class StreamingChain extends ScriptedChain {
  readonly #plans: readonly SourcePlan[];
  /** All opened sources, in order. */
  readonly sources: ScriptedSource[] = [];

  constructor(plans: readonly SourcePlan[]) {
    super();
    this.#plans = plans;
  }

  override async getReceipts(block: BlockReference): Promise<JsonResult | null> {
    const plan = block.kind === 'number' ? this.#plans[Number(block.number)] : undefined;
    if (plan === undefined) return '[]';
    const source = new ScriptedSource(plan);
    this.sources.push(source);
    return source;
  }
}

/** Request text for the receipts of block n. */
export function receiptsOf(block: number, id: string | undefined = '1'): string {
  const idField = id === '' ? '' : `"id":${id},`;
  return `{"jsonrpc":"2.0",${idField}"method":"eth_getBlockReceipts","params":["0x${block.toString(16)}"]}`;
}

export function resultOf(value: string, id = '1'): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${value}}`;
}
