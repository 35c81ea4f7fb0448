import { createEndpoint, nameUpstream } from '../../pool/endpoint.ts';
import { listSecrets } from '../../pool/errors/secrets.ts';
import type { ReportedBlock } from '../../pool/heads/block.ts';
import type { Identity } from '../../pool/identity.ts';
import { readSync } from '../../pool/node-feed.ts';
import { createNodeMemory } from '../../pool/node-memory.ts';
import type { PoolOptions, UpstreamOptions } from '../../pool/options.ts';
import { createTransport } from '../../pool/transport/create-transport.ts';
import type { Endpoint, Transport, TransportLimits } from '../../pool/transport/transport.ts';
import { AnswerMemory } from '../../util/answer-memory.ts';
import { completeWithin, TIMED_OUT } from '../../util/complete-within.ts';
import type { Announcements, BatchLimit, Examination, ExaminedNode, LatestBlock } from './examination.ts';
import { examineTags, findSample, readLatest } from './examine-blocks.ts';
import { examineFeatures, examineRollup } from './examine-methods.ts';
import { examineNamed, examineReads } from './examine-reads.ts';
import { examineReverts } from './examine-reverts.ts';
import { findFault, identifyNode } from './identify-node.ts';
import { NodeProbe, type ProbeOutcome } from './node-probe.ts';

const SAMPLES = 5;

/** Median time of one `eth_chainId` on an open connection, ms; undefined if a request fails. */
async function measureLatency(requests: NodeProbe): Promise<number | undefined> {
  const times: number[] = [];
  while (times.length < SAMPLES) {
    const start = performance.now();
    const { kind } = await requests.ask('eth_chainId');
    if (kind !== 'result') return undefined;
    times.push(performance.now() - start);
  }
  const median = times.toSorted((a, b) => a - b)[Math.floor(SAMPLES / 2)] as number;
  return Number(median.toFixed(3));
}

const SIZES: readonly number[] = [1, 10, 100, 1_000];
const CALL = { method: 'eth_chainId', params: '[]' };

/** Sends larger and larger batches until a batch is not answered completely. */
async function examineBatches(requests: NodeProbe): Promise<BatchLimit> {
  let answered = 0;
  for (const size of SIZES) {
    const outcomes = await requests.sendBatch(new Array(size).fill(CALL));
    const failure = findFailure(outcomes);
    if (failure !== undefined) return { answered, reason: failure };
    answered = size;
  }
  return { answered };
}

function findFailure(outcomes: readonly ProbeOutcome[] | ProbeOutcome): string | undefined {
  const first = [outcomes].flat().find(({ kind }) => kind !== 'result');
  return first === undefined || first.kind === 'result' ? undefined : first.reason;
}

/** Subscribes to new heads, waits until the node accepts, and ends the subscription. Waits at most `limitMs`. */
async function examineAnnouncements(transport: Transport, limitMs: number): Promise<Announcements> {
  const watch = transport.watch?.bind(transport);
  if (watch === undefined) return { state: 'none' };
  let unwatch = (): void => {};
  const agreed = new Promise<boolean>((resolve) => {
    unwatch = watch('newHeads', {
      onResult() {},
      onReady: () => resolve(true),
      onLost: () => resolve(false),
    });
  });
  const outcome = await completeWithin(agreed, limitMs);
  unwatch();
  if (outcome === TIMED_OUT)
    return { state: 'failing', reason: `no subscription within ${limitMs / 1_000} s` };
  return outcome ? { state: 'coming' } : { state: 'failing', reason: 'the node refuses the subscription' };
}

/** Maximum wait for one answer, ms. If the pool's `answerTimeout` is shorter, `answerTimeout` is the maximum. */
const REQUEST_LIMIT_MS = 5_000;
const CLOSE_LIMIT_MS = 1_000;
/** Maximum size of an answer, bytes: enough for the receipts of a large block. */
const ANSWER_BYTES = 64 * 1024 * 1024;
const PING_MS = 15_000;

export type ExaminationWants = {
  /** Prefix of a rollup's methods: if set, `<prefix>_estimateGas` and `rollup_getInfo` are tested too. */
  readonly rollupPrefix?: string;
  /** Further methods, which are tested without parameters. */
  readonly also?: readonly string[];
  /** Whether the network serves a read method; by default, every read method is served. */
  readonly isServed?: (method: string) => boolean;
};

/**
 * Examines one node. The examination takes some seconds if the node answers, and at most half a minute if the node hangs. For an unavailable node,
 * the result contains the reason. Never rejects.
 * @param position index of the node in the configuration, from 0
 */
export async function examineUpstream(
  row: UpstreamOptions,
  position: number,
  pool: PoolOptions,
  wants: ExaminationWants,
): Promise<Examination> {
  const endpoint = createEndpoint(row.url, row);
  const announcer = row.heads === undefined ? undefined : createEndpoint(row.heads, row);
  const limits = limitsOf(row, pool);
  const limitMs = Math.min(REQUEST_LIMIT_MS, pool.answerTimeout);
  const secrets = [endpoint, announcer].flatMap((each) =>
    each === undefined ? [] : listSecrets(each.url, each.headers),
  );
  return withTransport(endpoint, limits, async (transport) => {
    const requests = new NodeProbe(transport, limitMs, secrets);
    const label = { name: nameUpstream(row, position), tier: row.tier };
    const found = await identifyNode({ transport, memory: limits.memory }, requests, limitMs);
    if ('kind' in found) return { ...label, answers: false, fault: found };
    const identity = { ...found, clientVersion: requests.clean(found.clientVersion) };
    const latencyMs = await measureLatency(requests);
    const [rest, announcements] = await Promise.all([
      examineAnswers(requests, wants),
      announcer === undefined
        ? examineAnnouncements(transport, limitMs)
        : examineAnnouncer(announcer, limits, secrets, identity),
    ]);
    const batches = await examineBatches(requests);
    return { ...label, answers: true, identity, latencyMs, ...rest, announcements, batches };
  });
}

type Answers = Pick<
  ExaminedNode,
  'latest' | 'sync' | 'tags' | 'features' | 'reads' | 'also' | 'rollup' | 'reverts'
>;

async function examineAnswers(
  requests: NodeProbe,
  { rollupPrefix, also: names = [], isServed = () => true }: ExaminationWants,
): Promise<Answers> {
  const [head, syncing, tags, reverts, rollup, also] = await Promise.all([
    readLatest(requests),
    requests.ask('eth_syncing'),
    examineTags(requests),
    examineReverts(requests),
    rollupPrefix === undefined ? {} : examineRollup(requests, rollupPrefix),
    examineNamed(requests, names),
  ]);
  const methods =
    head === undefined ? { features: {}, reads: {} } : await examineMethods(requests, head, isServed);
  const sync = syncing.kind === 'result' ? readSync(syncing.value) : undefined;
  const latest = head === undefined ? undefined : measureAge(head);
  return { latest, sync, tags, ...methods, also, rollup, reverts };
}

async function examineMethods(
  requests: NodeProbe,
  head: ReportedBlock,
  isServed: (method: string) => boolean,
): Promise<Pick<ExaminedNode, 'features' | 'reads'>> {
  const sample = await findSample(requests, head);
  const [features, reads] = await Promise.all([
    examineFeatures(requests, head, sample),
    examineReads(requests, head, sample, isServed),
  ]);
  return { features, reads };
}

/** Tests head announcements at a separate URL, which must lead to the same chain as the node's URL. */
async function examineAnnouncer(
  endpoint: Endpoint,
  limits: TransportLimits,
  secrets: readonly string[],
  { chainId }: Identity,
): Promise<Announcements> {
  return withTransport(endpoint, limits, async (transport) => {
    const outcome = await new NodeProbe(transport, limits.answerTimeout, secrets).ask('eth_chainId');
    const fault = findFault(outcome);
    if (fault !== undefined) return { state: 'failing', reason: fault.reason };
    const said = outcome.kind === 'result' ? BigInt(String(outcome.value)) : undefined;
    if (said !== chainId) return { state: 'failing', reason: `its chain id is ${said}` };
    return examineAnnouncements(transport, limits.answerTimeout);
  });
}

async function withTransport<T>(
  endpoint: Endpoint,
  limits: TransportLimits,
  work: (transport: Transport) => Promise<T>,
): Promise<T> {
  const transport = createTransport(endpoint, limits);
  try {
    return await work(transport);
  } finally {
    await completeWithin(transport.close(), CLOSE_LIMIT_MS);
  }
}

/** Memory budget for the answers of all examined nodes. */
const MEMORY = createNodeMemory();

function limitsOf(row: UpstreamOptions, pool: PoolOptions): TransportLimits {
  const answerBytes = Math.min(pool.answerBytes, ANSWER_BYTES);
  return {
    connections: row.connections,
    inFlight: row.inFlight,
    batch: row.batch,
    connectTimeout: Math.min(pool.connectTimeout, REQUEST_LIMIT_MS),
    answerTimeout: Math.min(pool.answerTimeout, REQUEST_LIMIT_MS),
    stallTimeout: Math.min(pool.stallTimeout, REQUEST_LIMIT_MS),
    answerBytes,
    streamBytes: answerBytes,
    pingInterval: PING_MS,
    memory: () => new AnswerMemory(MEMORY, nameUpstream(row, 0)),
  };
}

function measureAge({ number, hash, timestamp }: ReportedBlock): LatestBlock {
  return { number, hash, timestamp, ageSeconds: Math.round(Date.now() / 1_000 - Number(timestamp)) };
}
