import type { JsonBytes, JsonResult, JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import { LogMatcher } from '../../../packages/proofs/verify-logs.ts';
import type { CacheKey } from '../../cache/cache.ts';
import type { BlockLog } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import { checkBlockRange, type LogLimits, type LogRange, resolveLogRange } from '../../chain/log-range.ts';
import type { BlockReference, LogBlocks, LogFilter } from '../../chain/requests.ts';
import { LoneNull, Refutation, UpstreamFault } from '../../pool/fault.ts';
import type { Upstream } from '../../pool/upstream.ts';
import { type BlockPosition, fitResult, type UpstreamRequest } from '../../pool/upstream-request.ts';
import { AnswerMemory } from '../../util/answer-memory.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { SCHEDULER } from '../../util/slot-scheduler.ts';
import type { FoundBlock } from './block-access.ts';
import { type BlockLogParts, BlockLogRequests } from './block-log-requests.ts';
import { checkLogs } from './checks/check-logs.ts';
import { LogPieces } from './log-pieces.ts';
import { type ExpectedLogs, UnexpectedLogs } from './verifying/log-proofs.ts';

const METHOD = 'eth_getLogs';
/** Suffix of the cache and coalescing keys of verified answers. */
const VERIFIED = ':verified';
/** Maximum number of blocks in a range for which the blooms of the headers can confirm a node's null. */
const MAX_BLOOMS = 64;
const NO_LOGS = '[]';
/** Maximum length of an encoded filter whose answer is cached or coalesced, UTF-16 units. */
const MAX_KEY_LENGTH = 65_536;

export type LogRequestParts = BlockLogParts & {
  readonly limits: LogLimits;
  /** Returns the maximum number of blocks per request at the node with the highest limit. */
  readonly maxBlocks: () => number;
};

/** A part of a block range, and the logs that an answer about this part must have. `expected` is undefined if the logs are unverifiable. */
type ExpectedPart = LogRange & { readonly expected: ExpectedLogs | undefined };

/** Filter and block range of a request. @property hash block hash, if the request names one block by hash */
type AskedLogs = { readonly filter: LogFilter; readonly range: LogRange; readonly hash?: string };

/**
 * Requests logs of one block by hash, or of a range up to the served head. A long range is divided into requests that the limits of the nodes allow.
 */
export class LogRequests {
  readonly #parts: LogRequestParts;
  readonly #ofBlocks: BlockLogRequests;

  constructor(parts: LogRequestParts) {
    this.#parts = parts;
    this.#ofBlocks = new BlockLogRequests(parts);
  }

  getBlockLogs(hash: string, scope: RequestScope): Promise<readonly BlockLog[] | null> {
    return this.#ofBlocks.getBlockLogs(hash, scope);
  }

  getLogs(filter: LogFilter, scope: RequestScope): Promise<JsonResult> {
    const { blocks } = filter;
    return blocks.kind === 'block'
      ? this.#requestBlock(filter, blocks.hash, scope)
      : this.#requestRange(filter, blocks, scope);
  }

  async #requestBlock(filter: LogFilter, hash: string, scope: RequestScope): Promise<JsonResult> {
    const reference: BlockReference = { kind: 'hash', hash, requireCanonical: false };
    const { resolver, directory, cacheScope, proofs, logProofs, recall, limits } = this.#parts;
    const resolved = await resolver.resolve(reference, scope);
    if (resolved.kind !== 'block') throw new ChainError('failed', 'unknown block');
    const { number } = resolved.position;
    const range = { first: number, last: number };
    const memory = AnswerMemory.of(scope);
    try {
      const text = encodeFilter({ blockHash: hash }, filter);
      const keyOf = (mark: string): CacheKey => ({
        blockHash: hash,
        request: `${cacheScope()}:${METHOD}:${text}${mark}`,
      });
      const isShort = text.length <= MAX_KEY_LENGTH;
      const cached = isShort && logProofs !== undefined ? await recall?.(keyOf(VERIFIED)) : undefined;
      const listBlocks = async (): Promise<readonly FoundBlock[]> => {
        const block = await directory.findByHash(hash, scope, 'fault');
        return block === null ? [] : [{ block, isCanonical: resolved.isCanonical }];
      };
      const expected =
        cached === undefined ? await this.#expect(range, listBlocks, filter, memory, scope) : undefined;
      const call: UpstreamRequest = {
        params: `[${text}]`,
        isKept: () => expected?.whyUnverifiable() === undefined,
        // The request names the block by hash, and every log contains the block hash.
        isBound: true,
        ...this.#about(filter, range, { number, hash }, expected),
        ...(isShort && { key: keyOf(expected === undefined ? '' : VERIFIED) }),
      };
      const answer =
        cached === undefined
          ? await this.#requestExpected(call, expected, { filter, range, hash }, scope)
          : fitResult(cached, call);
      await new LogPieces(limits, range, memory).add(range, answer);
      const why = cached === undefined ? explain(expected) : undefined;
      proofs?.trust.noteLogs(scope, { number, hash }, true, why);
      return answer;
    } finally {
      memory.release();
    }
  }

  async #requestRange(
    filter: LogFilter,
    blocks: Extract<LogBlocks, { readonly kind: 'range' }>,
    scope: RequestScope,
  ): Promise<JsonResult> {
    const { directory, limits, proofs } = this.#parts;
    // A new scheduler slot is taken, because the computation of the expected logs has no pause if all blocks of the range are known.
    await SCHEDULER.rejoin(scope.owner ?? '');
    const range = await this.#resolve(blocks, scope);
    checkBlockRange(range, limits);
    const { epoch } = directory;
    const before = directory.hashOf(range.last);
    const memory = AnswerMemory.of(scope);
    const inner = scope.derive();
    try {
      const parts = await this.#expectParts(range, filter, memory, inner);
      const ends = parts.map(({ last }) => last);
      const pieces = new LogPieces(limits, range, memory, ends);
      const ask = (piece: LogRange): Promise<JsonText | JsonBytes> => {
        const part = parts.find(({ last }) => piece.last <= last);
        return this.#requestPiece(filter, piece, part?.expected, inner);
      };
      const answer = await pieces.requestAll(ask, this.#parts.maxBlocks);
      // Each request returns logs of one chain. After a reorg between two requests, their logs may belong to different chains.
      const hasMoved = directory.epoch !== epoch && directory.hashOf(range.last) !== before;
      if (hasMoved && before !== undefined) {
        throw new UpstreamFault('wrong', 'blocks left the chain while their logs were read');
      }
      const position = { number: range.last, hash: parts.at(-1)?.expected?.hashOf(range.last) };
      await proofs?.trust.link(position);
      const whys = parts.map(({ expected }) => explain(expected));
      proofs?.trust.noteLogs(
        scope,
        position,
        false,
        whys.find((why) => why !== undefined),
      );
      return answer;
    } finally {
      inner.abort();
      inner.release();
      memory.release();
    }
  }

  /**
   * Divides a range into parts and determines the expected logs of each part that can be verified. The trust level of the answer is the lowest trust
   * level of a part.
   * @throws ChainError `unavailable` if verification is mandatory and a part cannot be verified
   */
  async #expectParts(
    range: LogRange,
    filter: LogFilter,
    memory: AnswerMemory,
    scope: RequestScope,
  ): Promise<readonly ExpectedPart[]> {
    const { directory, logProofs, proofs } = this.#parts;
    const isOneWhole = logProofs === undefined || logProofs.isTooLong(range);
    const parts: ExpectedPart[] = [];
    const ranges = isOneWhole ? [range] : logProofs.divide(range);
    for (const part of ranges) {
      const why = logProofs?.whyNot(part);
      if (why !== undefined) proofs?.trust.demandProof(why);
    }
    for (const part of ranges) {
      const listBlocks = async (): Promise<readonly FoundBlock[]> =>
        (await directory.listRange(part.first, part.last, scope)).map((block) => ({
          block,
          isCanonical: true,
        }));
      parts.push({ ...part, expected: await this.#expect(part, listBlocks, filter, memory, scope) });
    }
    return parts;
  }

  /**
   * Determines the logs that an answer must have; returns undefined if they are unverifiable.
   * @throws ChainError `unavailable` if they are unverifiable and verification is mandatory
   */
  async #expect(
    range: LogRange,
    listBlocks: () => Promise<readonly FoundBlock[]>,
    filter: LogFilter,
    memory: AnswerMemory,
    scope: RequestScope,
  ): Promise<ExpectedLogs | undefined> {
    const { logProofs, proofs } = this.#parts;
    if (logProofs === undefined) return undefined;
    let why = logProofs.whyNot(range);
    try {
      const expected =
        why === undefined ? await logProofs.find(await listBlocks(), filter, memory, scope) : undefined;
      why ??= expected?.whyUnverifiable();
      if (why === undefined) return expected;
    } catch (error) {
      const isUnknown = error instanceof UpstreamFault && error.kind !== 'aborted';
      if (!isUnknown || error instanceof Refutation) throw error;
      why = error.message;
    }
    proofs?.trust.demandProof(why);
    return undefined;
  }

  /** Sends a request. If the answer has logs in blocks whose receipts were not requested before, requests these receipts and repeats the request. */
  async #requestExpected(
    call: UpstreamRequest,
    expected: ExpectedLogs | undefined,
    requested: AskedLogs,
    scope: RequestScope,
  ): Promise<JsonText | JsonBytes> {
    for (;;) {
      try {
        const logs = (await this.#parts.ask({ call, scope })) as JsonText | JsonBytes;
        return logs === 'null' ? NO_LOGS : logs;
      } catch (error) {
        if (error instanceof LoneNull) return this.#confirmNone(requested, scope);
        if (!(error instanceof UnexpectedLogs) || expected === undefined) throw error;
        await this.#parts.logProofs?.findMore(expected, error, scope);
      }
    }
  }

  /** Converts a node's null to an empty list, if the blooms of all blocks exclude a match. @throws UpstreamFault */
  async #confirmNone({ filter, range, hash }: AskedLogs, scope: RequestScope): Promise<JsonText> {
    const { directory } = this.#parts;
    const { first, last } = range;
    if (last - first < BigInt(MAX_BLOOMS)) {
      const matcher = new LogMatcher(filter);
      const block = hash === undefined ? undefined : await directory.findByHash(hash, scope, 'fault');
      const blocks = block == null ? await directory.listRange(first, last, scope) : [block];
      if (!blocks.some(({ logsBloom }) => logsBloom === undefined || matcher.mayMatch(logsBloom)))
        return NO_LOGS;
    }
    throw new UpstreamFault('wrong', 'the only available node returned null instead of logs');
  }

  #requestPiece(
    filter: LogFilter,
    { first, last }: LogRange,
    expected: ExpectedLogs | undefined,
    scope: RequestScope,
  ): Promise<JsonText | JsonBytes> {
    const bounds = { fromBlock: encodeQuantity(first), toBlock: encodeQuantity(last) };
    const params = `[${encodeFilter(bounds, filter)}]`;
    const hash = expected?.hashOf(last) ?? this.#parts.directory.hashOf(last);
    const mark = expected === undefined ? '' : VERIFIED;
    const call: UpstreamRequest = {
      params,
      logBlocks: Number(last - first) + 1,
      ...this.#about(filter, { first, last }, { number: last, hash }, expected),
      ...(params.length <= MAX_KEY_LENGTH && { sharedAs: `logs${mark}:${hash}:${params}` }),
    };
    return this.#requestExpected(call, expected, { filter, range: { first, last } }, scope);
  }

  #about(filter: LogFilter, range: LogRange, block: BlockPosition, expected: ExpectedLogs | undefined) {
    const { directory, limits } = this.#parts;
    const hashOf = (number: bigint): string | undefined =>
      number === block.number && block.hash !== undefined ? block.hash : directory.hashOf(number);
    const checkAlone = checkLogs({ range, filter, hashOf, results: limits.results });
    return {
      method: METHOD,
      block,
      nulls: 'doubt',
      // A null is treated as an empty list and compared with the logs in verified receipts.
      nullAs: expected === undefined ? undefined : NO_LOGS,
      isText: true,
      takesLongBytes: true,
      check: (result: JsonResult, upstream?: Upstream): JsonResult => {
        if (expected === undefined || expected.whyUnverifiable() !== undefined) return checkAlone(result);
        return expected.compare(result, range, upstream);
      },
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

/** Returns the reason why an answer is not verified; undefined if it is verified. */
function explain(expected: ExpectedLogs | undefined): string | undefined {
  return expected === undefined ? 'the logs were not compared with receipts' : expected.whyUnverifiable();
}

/** Encodes a filter as clients do: an empty list of addresses is omitted, and a single alternative is not wrapped in a list. */
function encodeFilter(blocks: Readonly<Record<string, string>>, { addresses, topics }: LogFilter): JsonText {
  const shorten = (alternatives: readonly string[]): unknown =>
    alternatives.length > 1 ? alternatives : (alternatives[0] ?? null);
  return JSON.stringify({
    ...blocks,
    ...(addresses.length > 0 && { address: shorten(addresses) }),
    ...(topics.length > 0 && { topics: topics.map(shorten) }),
  });
}
