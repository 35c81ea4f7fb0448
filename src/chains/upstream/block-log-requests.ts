import {
  JsonBytes,
  type JsonResult,
  type JsonText,
} from '../../../packages/ethereum/primitives/json-result.ts';
import type { CacheKey } from '../../cache/cache.ts';
import type { BlockLog } from '../../chain/chain.ts';
import { Refutation, UpstreamFault } from '../../pool/fault.ts';
import type { ReportedBlock } from '../../pool/heads/block.ts';
import { holdAll } from '../../pool/hold-text.ts';
import { openCharacters } from '../../pool/join-pieces.ts';
import type { Upstream } from '../../pool/upstream.ts';
import type { AnsweredBy, RequestContext, UpstreamRequest } from '../../pool/upstream-request.ts';
import { AnswerMemory } from '../../util/answer-memory.ts';
import { Lru } from '../../util/lru.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { SCHEDULER } from '../../util/slot-scheduler.ts';
import type { RequestParts } from './call-requests.ts';
import { checkReceipts } from './checks/check-receipts.ts';
import { type LogContradiction, type ReadLogs, readBlockLogs } from './checks/read-block-logs.ts';
import type { LogProofs } from './verifying/log-proofs.ts';

/**
 * Time for which nodes must keep returning the same logs before logs that seem incomplete by the header's bloom are accepted, milliseconds. Some
 * nodes answer before their indexes are written.
 */
const PATIENCE_MS = 10_000;
const MAX_CONTRADICTED = 256;
const NO_LOGS = /^0x0*$/;
/** Matches the beginning of a JSON list of lists of logs; a list of receipts does not match. */
const LISTS = /^\s*\[\s*\[/;

export type BlockLogParts = RequestParts & {
  /** Verifies receipts; absent if verification is off. */
  readonly logProofs?: LogProofs | undefined;
  /**
   * Called once per kind of contradiction, when two nodes or the only node show that headers of this network do not commit to all logs. From then on,
   * this kind of contradiction is not a fault of a node.
   */
  readonly onBloomless: (kind: LogContradiction, block: bigint) => void;
  /** Monotonic clock, milliseconds. */
  readonly now: () => number;
};

const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');

/** Kind of answer from which logs are read. */
type Source = 'receipts' | 'logs';

/** Logs that contradict their block's header, and the upstream that sent them. */
type Claim = ReadLogs & {
  readonly upstream: Upstream;
  readonly key: CacheKey;
  readonly text: JsonText | JsonBytes;
};

/**
 * Returns all logs of one block by its hash. If verification is possible, the logs are read from receipts that match the receipts root. Logs that
 * cannot be verified come from receipts, if nodes return these by block hash, or from `eth_getLogs`, and are compared with the header's bloom. Logs
 * that contradict the bloom are accepted only if two nodes, or the only node, report them.
 */
export class BlockLogRequests {
  readonly #parts: BlockLogParts;
  /** Contradictions that no longer count against nodes. */
  readonly #ignored = new Set<LogContradiction>();
  /** Blocks whose logs seem incomplete, by block hash: digest of the logs, and time when these logs first arrived. */
  readonly #contradicted = new Lru<string, { readonly digest: string; readonly since: number }>(
    MAX_CONTRADICTED,
    Number.POSITIVE_INFINITY,
  );
  /** True after all nodes have sent receipts that contradict a block, but logs that match it; receipts are then no longer requested. */
  #hasNoReceipts = false;

  constructor(parts: BlockLogParts) {
    this.#parts = parts;
  }

  /** Returns the logs of a block; null if no node has the block. Rejects with UpstreamFault `wrong` if the logs of all nodes are rejected. */
  async getBlockLogs(hash: string, scope: RequestScope): Promise<readonly BlockLog[] | null> {
    const block = await this.#parts.directory.findByHash(hash, scope, 'certain');
    if (block === null) return null;
    const hasNone = block.transactionHashes.length === 0 && NO_LOGS.test(block.logsBloom ?? '');
    if (hasNone) return [];
    const proven = await this.#findVerified(block, scope);
    if (proven !== undefined) return proven;
    if (this.#hasNoReceipts) return this.#collect(block, 'logs', scope);
    try {
      return await this.#collect(block, 'receipts', scope);
    } catch (error) {
      if (!isWrong(error)) throw error;
      const logs = await this.#collect(block, 'logs', scope);
      this.#hasNoReceipts = true;
      return logs;
    }
  }

  /**
   * Returns the logs of verified receipts, or undefined if they cannot be verified.
   * @throws ChainError `unavailable` if verification is required
   */
  async #findVerified(block: ReportedBlock, scope: RequestScope): Promise<readonly BlockLog[] | undefined> {
    const { logProofs, directory, proofs } = this.#parts;
    if (logProofs === undefined) return undefined;
    const { number, hash } = block;
    const isCanonical = directory.hashOf(number) === hash;
    let why = logProofs.whyNot({ first: number, last: number });
    try {
      if (why === undefined) {
        const receipts = await logProofs.getReceipts({ block, isCanonical }, scope);
        why = logProofs.whyUnverifiable(block);
        if (why === undefined) return (await this.#readText(receipts, block, scope)).logs;
      }
    } catch (error) {
      if (error instanceof Refutation) throw error;
      why = takeFault(error).message;
    }
    proofs?.trust.demandProof(why);
    return undefined;
  }

  /** Sends to one node after the other until the reported logs can be accepted. */
  async #collect(
    block: ReportedBlock,
    from: Source,
    scope: RequestScope,
  ): Promise<readonly BlockLog[] | null> {
    const { key, ...unkept } = this.#about(block, from);
    const except = new Set<Upstream>();
    const claims: Claim[] = [];
    let fault: UpstreamFault | undefined;
    let isFirst = true;
    let isText = false;
    for (;;) {
      // The node that sent a cached or coalesced answer is unknown, so only the first attempt may use such an answer.
      const call: UpstreamRequest = { ...unkept, isText, ...(isFirst && { key }) };
      const witness: AnsweredBy = {};
      const result = await this.#ask({ call, scope, except, witness });
      if (result instanceof UpstreamFault || result === 'null') {
        const [only] = claims;
        if (only !== undefined && claims.length === 1) return this.#accept(block, only);
        if (fault !== undefined) throw fault;
        return this.#findNothing(block, call, result, scope);
      }
      const read = await this.#read(result, from, block, scope);
      const { upstream } = witness;
      if (read instanceof UpstreamFault && typeof result !== 'string') {
        // After an error, a stream may continue with bytes of another node, so the node that sent an invalid part is unknown. Further attempts
        // therefore request the answer as one text.
        isText = true;
        isFirst = false;
        continue;
      }
      if (!(read instanceof UpstreamFault)) {
        if (read.contradiction === undefined || this.#ignored.has(read.contradiction)) {
          if (!isFirst) this.#parts.keep(key, read.text);
          for (const claim of claims) claim.upstream.countFault('wrong');
          return read.logs;
        }
        const same = claims.find(({ digest }) => digest === read.digest);
        if (same !== undefined) return this.#accept(block, same);
        if (upstream !== undefined) claims.push({ ...read, upstream, key });
      } else {
        upstream?.countFault(read.kind);
      }
      fault = read instanceof UpstreamFault ? read : doNotAgree();
      if (upstream !== undefined) except.add(upstream);
      else if (!isFirst) throw fault;
      isFirst = false;
    }
  }

  /** Sends a request. @returns the answer, or the fault if no remaining node answers */
  async #ask(context: RequestContext): Promise<JsonResult | UpstreamFault> {
    try {
      return await this.#parts.ask(context);
    } catch (error) {
      return takeFault(error);
    }
  }

  /** Called when no node has the logs. If the block is not canonical, returns null; otherwise throws. */
  async #findNothing(
    block: ReportedBlock,
    { nulls }: UpstreamRequest,
    result: JsonResult | UpstreamFault,
    scope: RequestScope,
  ): Promise<null> {
    if (result instanceof UpstreamFault && (result.kind !== 'missing' || nulls !== 'certain')) throw result;
    if (await this.#isServed(block, scope)) throw lacksLogs();
    return null;
  }

  /**
   * Returns whether a block is canonical at the served head. The block must be well below the head, because a null for a recent block is a fault of
   * the node.
   */
  async #isServed({ number, hash }: ReportedBlock, scope: RequestScope): Promise<boolean> {
    const { number: head } = await this.#parts.resolver.getHead(scope);
    if (number > head) return false;
    const served = await this.#parts.directory.findByNumber(number, scope);
    return served?.hash === hash;
  }

  /** Reads logs from an answer. @returns the logs, or the UpstreamFault `wrong` if the answer is invalid */
  async #read(
    result: JsonResult,
    from: Source,
    block: ReportedBlock,
    scope: RequestScope,
  ): Promise<(ReadLogs & { readonly text: JsonText | JsonBytes }) | UpstreamFault> {
    try {
      const memory = (): AnswerMemory => AnswerMemory.of(scope);
      const text = (await holdAll(result, { scope, memory, takesLongBytes: true })) as JsonText | JsonBytes;
      return { ...(await this.#readText(from === 'logs' ? nest(text) : text, block, scope)), text };
    } catch (error) {
      return takeFault(error);
    }
  }

  async #readText(text: JsonText | JsonBytes, block: ReportedBlock, scope: RequestScope): Promise<ReadLogs> {
    return SCHEDULER.run(scope.owner ?? '', readBlockLogs(await openCharacters(text), block));
  }

  /** Accepts logs that contradict the header, because other nodes report the same logs or there is no other node. */
  #accept(block: ReportedBlock, { logs, contradiction, digest, key, text }: Claim): readonly BlockLog[] {
    if (contradiction === 'missing' && !this.#hasLasted(block.hash, digest)) throw doNotAgree();
    if (contradiction !== undefined && !this.#ignored.has(contradiction)) {
      this.#ignored.add(contradiction);
      // If headers commit to logs that nodes do not return, a bloom says nothing about additional logs either.
      if (contradiction === 'missing') this.#ignored.add('extra');
      this.#parts.onBloomless(contradiction, block.number);
    }
    this.#parts.keep(key, text);
    return logs;
  }

  /** Returns whether the same logs of a block were first received at least `PATIENCE_MS` ago. */
  #hasLasted(hash: string, digest: string): boolean {
    const now = this.#parts.now();
    const known = this.#contradicted.get(hash);
    if (known?.digest === digest) return now - known.since >= PATIENCE_MS;
    this.#contradicted.set(hash, { digest, since: now });
    return false;
  }

  #about(block: ReportedBlock, from: Source): UpstreamRequest & { readonly key: CacheKey } {
    const { hash } = block;
    const ofBlock = `[{"blockHash":"${hash}"}]`;
    const isReceipts = from === 'receipts';
    const check = checkReceipts(block);
    return {
      method: isReceipts ? 'eth_getBlockReceipts' : 'eth_getLogs',
      params: isReceipts ? `["${hash}"]` : ofBlock,
      key: { blockHash: hash, request: `${this.#parts.cacheScope()}:blockLogs:${from}` },
      isBound: true,
      ...this.#parts.directory.route(hash, 'certain'),
      ...(isReceipts && {
        batch: () => [{ method: 'eth_getLogs', params: ofBlock }],
        check: (result) => (typeof result === 'string' && LISTS.test(result) ? result : check(result)),
      }),
    };
  }
}

/** Wraps a list of logs in a list, as for a block with one transaction. */
function nest(logs: JsonText | JsonBytes): JsonText | JsonBytes {
  return typeof logs === 'string' ? `[${logs}]` : new JsonBytes(logs.value, OPEN, CLOSE);
}

/** Returns an error that is a fault of a node. @throws any other error */
function takeFault(error: unknown): UpstreamFault {
  if (error instanceof UpstreamFault && error.kind !== 'aborted') return error;
  throw error;
}

function isWrong(error: unknown): boolean {
  return error instanceof UpstreamFault && error.kind === 'wrong';
}

function lacksLogs(): UpstreamFault {
  return new UpstreamFault('missing', 'the nodes do not have the receipts of a block of the chain');
}

function doNotAgree(): UpstreamFault {
  return new UpstreamFault('wrong', 'the logs of the block do not match the bloom in its header');
}
