import { setTimeout as wait } from 'node:timers/promises';
import { UpstreamFault } from '../../../src/pool/fault.ts';
import type { NodeCall, NodeReply } from '../../../src/pool/node-call.ts';
import { createNodeMemory } from '../../../src/pool/node-memory.ts';
import type { Spend } from '../../../src/pool/spend/spend.ts';
import type { SendOptions, Transport } from '../../../src/pool/transport/transport.ts';
import { type TrackedHead, Upstream } from '../../../src/pool/upstream.ts';
import { AnswerMemory } from '../../../src/util/answer-memory.ts';
import { setNode } from './set-node.ts';

/** Reaction of a node to one call; a rejection is a transport fault. */
export type Behaviour = (call: NodeCall, options: SendOptions) => NodeReply | Promise<NodeReply>;

export const answer =
  (result: string): Behaviour =>
  () => ({ kind: 'result', result });

export const nodeError =
  (code: number, message: string, data?: unknown): Behaviour =>
  () => ({ kind: 'error', error: { code, message, data } });

export const fault =
  (kind: UpstreamFault['kind'], retryAfterMs?: number): Behaviour =>
  () => {
    throw new UpstreamFault(kind, `scripted ${kind}`, retryAfterMs);
  };

/** Stays silent until the caller aborts or the deadline passes, as a transport must. */
export const silent: Behaviour = (_call, { deadline, signal }) =>
  new Promise((_resolve, reject) => {
    const end = (kind: 'aborted' | 'timeout') => () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      reject(new UpstreamFault(kind, `scripted ${kind}`));
    };
    const abort = end('aborted');
    const timer = setTimeout(end('timeout'), Math.max(0, deadline - performance.now()));
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort);
  });

/** Delays a behaviour, unless the caller aborts or the deadline passes. */
export const later =
  (ms: number, behaviour: Behaviour): Behaviour =>
  async (call, options) => {
    const limit = new AbortController();
    const { signal } = limit;
    const giveUp = (): void => limit.abort();
    if (options.signal?.aborted === true) giveUp();
    options.signal?.addEventListener('abort', giveUp);
    try {
      return await Promise.race([
        silent(call, { deadline: options.deadline, signal }),
        wait(ms, undefined, { signal }).then(() => behaviour(call, options)),
      ]);
    } finally {
      limit.abort();
    }
  };

/** One behaviour per call; the last one repeats. */
export function inTurn(...behaviours: readonly Behaviour[]): Behaviour {
  let calls = 0;
  return (call, options) => {
    const behaviour = behaviours[Math.min(calls++, behaviours.length - 1)] as Behaviour;
    return behaviour(call, options);
  };
}

/** Calls that a scripted node received. */
export type Asked = { readonly calls: NodeCall[] };

export type ScriptedNode = {
  readonly upstream: Upstream;
  readonly requested: Asked;
  /** Number of calls that their callers aborted. */
  readonly givenUp: () => number;
  behave(behaviour: Behaviour): void;
};

export type NodeParts = {
  readonly behaviour: Behaviour;
  readonly name?: string;
  /** By default an operator of its own. */
  readonly operator?: string;
  readonly tier?: number;
  readonly tracker?: Partial<TrackedHead>;
  readonly secrets?: readonly string[];
  /** Whether nothing is known of the node yet; by default, it is verified and votes. */
  readonly isNew?: boolean;
  /** Credits that its calls cost; by default they are free. */
  readonly spend?: Spend;
  /** Clock of its health. */
  readonly now?: () => number;
  /** Transport that replaces the behaviour. */
  readonly transport?: Transport;
  /** Replaces the memory, by default one that nothing else uses. */
  readonly openMemory?: () => AnswerMemory;
};

/** Number of created nodes: each has an operator of its own. */
let nodes = 0;

/** Creates a verified node that has every block, unless its tracker says otherwise. */
export function createNode(parts: NodeParts | Behaviour): ScriptedNode {
  const { behaviour, name, operator, tier, tracker, secrets, now, isNew, ...rest } =
    typeof parts === 'function' ? ({ behaviour: parts } as NodeParts) : parts;
  const requested: Asked = { calls: [] };
  let current = behaviour;
  let givenUp = 0;
  const run = async (call: NodeCall, options: SendOptions): Promise<NodeReply> => {
    options.signal?.addEventListener('abort', () => givenUp++);
    return current(call, options);
  };
  const transport: Transport = rest.transport ?? {
    send(call, options) {
      requested.calls.push(call);
      return run(call, options);
    },
    sendBatch(calls, options) {
      return Promise.all(calls.map((call) => run(call, options)));
    },
    close: async () => {},
  };
  const upstream = new Upstream({
    name: name ?? 'node',
    operator: operator ?? `operator ${nodes++}`,
    tier: tier ?? 1,
    transport,
    control: transport,
    tracker: { ...EVERYTHING, ...tracker },
    secrets: secrets ?? [],
    ...(rest.spend !== undefined && { spend: rest.spend }),
    openMemory: rest.openMemory ?? (() => new AnswerMemory(createNodeMemory(), 'node')),
    now: now ?? (() => performance.now()),
  });
  if (isNew !== true) setNode(upstream, { standing: 'verified', vote: 'votes' });
  return {
    upstream,
    requested,
    givenUp: () => givenUp,
    behave: (next) => {
      current = next;
    },
  };
}

const EVERYTHING: TrackedHead = {
  latest: undefined,
  blockTime: undefined,
  safe: undefined,
  hasMarks: true,
  isSyncing: false,
  isExpected: false,
  hasShown: () => true,
  syncTarget: undefined,
  showBlock: async () => {},
  finalized: undefined,
  hashAt: () => undefined,
  headerAt: () => undefined,
  numberOf: () => undefined,
  holds: () => true,
  refresh: async () => {},
  refreshAnew: async () => {},
  start: () => {},
  stop: () => {},
};
