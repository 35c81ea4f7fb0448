import type { BlockLog, BlockReference, LogBlocks, LogFilter } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import { checkBlockRange, type LogLimits, type LogRange, resolveLogRange } from '../chain/log-range.ts';
import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import { encodeQuantity } from '../primitives/quantity.ts';
import { AnswerMemory } from '../util/answer-memory.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { type BlockLogParts, BlockLogQuestions } from './block-log-questions.ts';
import { checkLogs } from './checks/check-logs.ts';
import { UpstreamFault } from './fault.ts';
import { LogPieces } from './log-pieces.ts';
import type { BlockPosition, RoutedCall } from './routed-call.ts';

const METHOD = 'eth_getLogs';
/** UTF-16 units of a filter beyond which its answer is neither kept nor shared. */
const MAX_KEY_LENGTH = 65_536;

export type LogQuestionParts = BlockLogParts & {
  readonly limits: LogLimits;
  /** Blocks that one question may have, at the node that takes most. */
  readonly maxBlocks: () => number;
};

/** Logs of one block by its hash, or of a range up to the served head: in as many questions as the nodes make necessary. */
export class LogQuestions {
  readonly #parts: LogQuestionParts;
  readonly #ofBlocks: BlockLogQuestions;

  constructor(parts: LogQuestionParts) {
    this.#parts = parts;
    this.#ofBlocks = new BlockLogQuestions(parts);
  }

  getBlockLogs(hash: string, scope: RequestScope): Promise<readonly BlockLog[] | null> {
    return this.#ofBlocks.getBlockLogs(hash, scope);
  }

  getLogs(filter: LogFilter, scope: RequestScope): Promise<JsonResult> {
    const { blocks } = filter;
    return blocks.kind === 'block'
      ? this.#askBlock(filter, blocks.hash, scope)
      : this.#askRange(filter, blocks, scope);
  }

  async #askBlock(filter: LogFilter, hash: string, scope: RequestScope): Promise<JsonResult> {
    const reference: BlockReference = { kind: 'hash', hash, requireCanonical: false };
    const resolved = await this.#parts.resolver.resolve(reference, scope);
    if (resolved.kind !== 'block') throw new ChainError('failed', 'unknown block');
    const { number } = resolved.position;
    const text = encodeFilter({ blockHash: hash }, filter);
    const call: RoutedCall = {
      ...this.#about(filter, { first: number, last: number }, { number, hash }),
      params: `[${text}]`,
      ...(text.length <= MAX_KEY_LENGTH && {
        key: { blockHash: hash, question: `${this.#parts.cacheScope()}:${METHOD}:${text}` },
      }),
      // The node was asked by hash, and every log says so.
      isBound: true,
    };
    const answer = (await this.#parts.ask({ call, scope })) as JsonText;
    const memory = AnswerMemory.of(scope);
    try {
      new LogPieces(this.#parts.limits, { first: number, last: number }, memory).add(
        { first: number, last: number },
        answer,
      );
    } finally {
      memory.release();
    }
    return answer;
  }

  async #askRange(
    filter: LogFilter,
    blocks: Extract<LogBlocks, { readonly kind: 'range' }>,
    scope: RequestScope,
  ): Promise<JsonResult> {
    const { directory, limits } = this.#parts;
    const range = await this.#resolve(blocks, scope);
    checkBlockRange(range, limits);
    const { epoch } = directory;
    const before = directory.hashOf(range.last);
    const memory = AnswerMemory.of(scope);
    const pieces = new LogPieces(limits, range, memory);
    const inner = scope.derive();
    try {
      const ask = (piece: LogRange): Promise<JsonText> => this.#askPiece(filter, piece, inner);
      const answer = await pieces.askAll(ask, this.#parts.maxBlocks);
      // Each piece is right for itself: all of them are of one chain only when nothing has moved under them.
      const hasMoved = directory.epoch !== epoch && directory.hashOf(range.last) !== before;
      if (hasMoved && before !== undefined) {
        throw new UpstreamFault('wrong', 'blocks left the chain while their logs were read');
      }
      return answer;
    } finally {
      inner.abort();
      inner.release();
      memory.release();
    }
  }

  #askPiece(filter: LogFilter, { first, last }: LogRange, scope: RequestScope): Promise<JsonText> {
    const bounds = { fromBlock: encodeQuantity(first), toBlock: encodeQuantity(last) };
    const params = `[${encodeFilter(bounds, filter)}]`;
    const hash = this.#parts.directory.hashOf(last);
    const call: RoutedCall = {
      ...this.#about(filter, { first, last }, { number: last, hash }),
      params,
      logBlocks: Number(last - first) + 1,
      ...(params.length <= MAX_KEY_LENGTH && { sharedAs: `logs:${hash}:${params}` }),
    };
    return this.#parts.ask({ call, scope }) as Promise<JsonText>;
  }

  #about(filter: LogFilter, range: LogRange, block: BlockPosition) {
    const { directory } = this.#parts;
    const hashOf = (number: bigint): string | undefined =>
      number === block.number && block.hash !== undefined ? block.hash : directory.hashOf(number);
    return {
      method: METHOD,
      block,
      nulls: 'fault',
      isText: true,
      check: checkLogs({ range, filter, hashOf }),
    } as const;
  }

  async #resolve(
    blocks: Extract<LogBlocks, { readonly kind: 'range' }>,
    scope: RequestScope,
  ): Promise<LogRange> {
    const { resolver } = this.#parts;
    const marks = new Map<string, bigint>();
    for (const bound of [blocks.from, blocks.to]) {
      if (bound.kind !== 'tag' || bound.tag === 'latest' || bound.tag === 'pending') continue;
      const resolved = await resolver.resolve(bound, scope);
      if (resolved.kind !== 'block') throw new ChainError('failed', `${bound.tag} header not found`);
      marks.set(bound.tag, resolved.position.number);
    }
    const { number } = await resolver.getHead(scope);
    return resolveLogRange(blocks, number, (tag) => marks.get(tag) as bigint);
  }
}

/** As clients write it: what means any is left out, one alternative stands alone. */
function encodeFilter(blocks: Readonly<Record<string, string>>, { addresses, topics }: LogFilter): JsonText {
  const shorten = (alternatives: readonly string[]): unknown =>
    alternatives.length > 1 ? alternatives : (alternatives[0] ?? null);
  return JSON.stringify({
    ...blocks,
    ...(addresses.length > 0 && { address: shorten(addresses) }),
    ...(topics.length > 0 && { topics: topics.map(shorten) }),
  });
}
