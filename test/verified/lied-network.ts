/** Three nodes in this process, some of which lie, and the service's chain over them. */

import { createMemoryCache } from '../../src/cache/memory-cache.ts';
import { DEFAULT_LOG_LIMITS } from '../../src/chain/log-range.ts';
import { openUpstreamChain } from '../../src/chains/upstream/open-upstream-chain.ts';
import { DEFAULT_SEND } from '../../src/chains/upstream/sending/options.ts';
import type { UpstreamChain } from '../../src/chains/upstream/upstream-chain.ts';
import type { Network } from '../../src/methods/network.ts';
import { METHODS } from '../../src/methods/table.ts';
import { holdText } from '../../src/pool/hold-text.ts';
import {
  type Checkpoint,
  poolOptionsSchema,
  upstreamsSchema,
  type VerifyMode,
} from '../../src/pool/options.ts';
import { SENDING_TOOLS } from '../../src/service/sending-tools.ts';
import { AnswerMemory } from '../../src/util/answer-memory.ts';
import { RequestScope, type Trust } from '../../src/util/request-scope.ts';
import { createRecordingLog, type RecordingLog } from '../gateway/recording-log.ts';
import { FaultUpstream } from '../support/fault-upstream.ts';
import type { Answer } from '../support/faults/fault.ts';
import { writeTwice } from './json-changes.ts';
import type { Request, Truth } from './truth.ts';

/** Longer than a stall of a busy machine, ms. */
const LIMIT_MS = 60_000;
/** The smallest block with a transaction is longer than eight times as many bytes. */
const STREAM_BYTES = 64;

export type Transport = 'HTTP' | 'WebSocket';

/** Replaces the true answer of a node. */
export type Lie = (request: Request, ask: Truth['ask']) => Promise<Answer>;

/** Answer that a client gets. */
export type Reply =
  | { readonly value: unknown; readonly trust: Trust | undefined }
  | { readonly error: string };

/** Nodes that persist, while networks over them open and close. */
export class Stage {
  readonly #truth: Truth;
  readonly #nodes: FaultUpstream[] = [];
  #liars = 0;
  #lie: Lie | undefined;
  /** Called for each request that a node receives. */
  onQuestion: ((request: Request) => void) | undefined;

  private constructor(truth: Truth) {
    this.#truth = truth;
  }

  static async open(truth: Truth, count: number): Promise<Stage> {
    const stage = new Stage(truth);
    for (let i = 0; i < count; i++) {
      const node = await FaultUpstream.start((request) => stage.#answer(i, request));
      await node.setFault({ text: writeTwice });
      stage.#nodes.push(node);
    }
    return stage;
  }

  #answer(node: number, request: Request): Promise<Answer> {
    this.onQuestion?.(request);
    const { ask } = this.#truth;
    return node < this.#liars && this.#lie !== undefined ? this.#lie(request, ask) : ask(request);
  }

  /** Makes the first `liars` nodes lie from now on; the others tell the truth. */
  setLie(liars: number, lie: Lie | undefined): void {
    this.#liars = liars;
    this.#lie = lie;
  }

  /** Opens a chain over `count` nodes. @param first number of nodes that are preferred */
  async openChain(count: number, first: number, options: NetworkOptions): Promise<LiedNetwork> {
    const rows = this.#nodes.slice(0, count).map((node, i) => ({
      url: options.transport === 'HTTP' ? node.httpUrl : node.webSocketUrl,
      name: `node${i}`,
      tier: i < first ? 1 : 2,
    }));
    const log = createRecordingLog();
    const chain = await openUpstreamChain({
      network: 'test',
      upstreams: upstreamsSchema.parse(rows),
      pool: {
        ...poolOptionsSchema.parse({ retries: 0, hedgePercent: 0, pollInterval: '60s' }),
        ...(options.isStreamed === true && { streamBytes: STREAM_BYTES }),
      },
      logs: DEFAULT_LOG_LIMITS,
      cache: createMemoryCache({ bytes: 1 << 24, entryBytes: 1 << 20 }),
      log,
      verify: options.verify,
      checkpoint: options.checkpoint,
      sending: { options: DEFAULT_SEND, tools: SENDING_TOOLS },
    });
    await chain.calibrated;
    return { chain, log, ask: (request) => callChain(chain, request) };
  }

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.close()));
  }
}

export type NetworkOptions = {
  readonly transport: Transport;
  readonly verify: VerifyMode;
  readonly checkpoint?: Checkpoint | undefined;
  /** Whether whole blocks and receipts of blocks are forwarded while they arrive. */
  readonly isStreamed?: boolean;
};

export type LiedNetwork = {
  readonly chain: UpstreamChain;
  readonly log: RecordingLog;
  ask(request: Request): Promise<Reply>;
};

const BY_NAME = new Map(METHODS.map((method) => [method.name, method]));

/** Calls a method as the service does: parameters by their codecs, the method by its row. */
async function callChain(chain: UpstreamChain, { method, params }: Request): Promise<Reply> {
  const row = BY_NAME.get(method);
  if (row === undefined) throw new Error(`${method}: there is no such method`);
  const network: Network = {
    name: 'test',
    chain,
    hasNodes: true,
    safeTag: 'reject',
    callTimeoutMs: LIMIT_MS,
    allowsDemoKey: true,
  };
  const scope = new RequestScope(performance.now() + LIMIT_MS);
  try {
    const result = await row.invoke(params, { network, clientVersion: 'test', scope });
    const text = await holdText(result, { scope, memory: () => AnswerMemory.of(scope) });
    return { value: readAlike(text), trust: scope.trust };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { error: error.message };
  }
}

/** Value on which all parsers agree for a text without white space; the text itself where parsers differ, as with a duplicate name. */
function readAlike(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return JSON.stringify(value) === text ? value : text;
}
