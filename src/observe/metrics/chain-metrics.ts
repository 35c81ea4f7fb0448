import { listBuckets, type Metric, type MetricState, type Sample } from '../metric.ts';
import type {
  ChainFigures,
  ExecutionFigures,
  Sources,
  UpstreamFigures,
  VerificationFigures,
  VerifiedStateFigures,
} from '../sources.ts';

const UPSTREAM_LABELS: readonly string[] = ['network', 'upstream'];

function* readChains(
  { sources }: MetricState,
  read: (figures: ChainFigures) => number | undefined,
): Generator<Sample> {
  for (const network of sources.networks) {
    const value = read(network.read());
    if (value !== undefined) yield { labels: { network: network.name }, value };
  }
}

function* readSubjects(
  { sources }: MetricState,
  read: (row: VerificationFigures['rows'][number]) => number | undefined,
): Generator<Sample> {
  for (const network of sources.networks) {
    for (const row of network.read().verification?.rows ?? []) {
      const value = read(row);
      if (value !== undefined) yield { labels: { network: network.name, subject: row.subject }, value };
    }
  }
}

function* readUpstreams(
  { sources }: MetricState,
  read: (upstream: UpstreamFigures) => number | undefined,
): Generator<Sample> {
  for (const network of sources.networks) {
    for (const upstream of network.read().upstreams) {
      const value = read(upstream);
      if (value !== undefined) yield { labels: { network: network.name, upstream: upstream.name }, value };
    }
  }
}

export const CHAIN_METRICS: readonly Metric[] = [
  {
    name: 'portcullis_network_head_number',
    type: 'gauge',
    help: 'Number of the block that is served as the latest.',
    labels: ['network'],
    merge: 'max',
    read: (state) => readChains(state, ({ head }) => head?.number),
  },
  {
    name: 'portcullis_network_safe_number',
    type: 'gauge',
    help: 'Number of the block that is served as safe. Absent while no block is.',
    labels: ['network'],
    merge: 'max',
    read: (state) => readChains(state, ({ safe }) => safe),
  },
  {
    name: 'portcullis_network_finalized_number',
    type: 'gauge',
    help: 'Number of the block that is served as finalized. Absent while no block is. On a rollup, the number stands while batches or proofs are late on layer 1.',
    labels: ['network'],
    merge: 'max',
    read: (state) => readChains(state, ({ finalized }) => finalized),
  },
  {
    name: 'portcullis_network_head_age_seconds',
    type: 'gauge',
    help: 'Time since the timestamp of the block that is served as the latest.',
    labels: ['network'],
    merge: 'min',
    read: (state) =>
      readChains(state, ({ head }) =>
        head === undefined ? undefined : Math.max(0, (Date.now() - head.timestamp) / 1_000),
      ),
  },
  {
    name: 'portcullis_network_head_unconfirmed_seconds',
    type: 'gauge',
    help: 'Time since a healthy node had the block that is served as the latest. 0 while a healthy node has this block. Calls fail when the time reaches pool.headAge.',
    labels: ['network'],
    merge: 'max',
    read: (state) =>
      readChains(state, ({ unconfirmed }) => (unconfirmed === undefined ? undefined : unconfirmed / 1_000)),
  },
  {
    name: 'portcullis_network_agreement_needed',
    type: 'gauge',
    help: 'Number of configured operators that must give the same answer (agreement). Absent if agreement is not configured.',
    labels: ['network'],
    merge: 'max',
    read: (state) => readChains(state, ({ agreement }) => agreement?.needed),
  },
  {
    name: 'portcullis_network_agreement_voices',
    type: 'gauge',
    help: 'Number of configured operators with a node in service that has the newest block of the voting nodes. The number falls for a moment while nodes report a new block one after the other.',
    labels: ['network'],
    merge: 'min',
    read: (state) => readChains(state, ({ agreement }) => agreement?.voices),
  },
  {
    name: 'portcullis_network_agreement_missing',
    type: 'gauge',
    help: '1 if for some seconds fewer operators than agreement demands have had new blocks, else 0. Answers about these blocks are refused with verify: require, otherwise labelled single.',
    labels: ['network'],
    merge: 'max',
    read: (state) =>
      readChains(state, ({ agreement }) =>
        agreement === undefined ? undefined : Number(agreement.isMissing),
      ),
  },
  {
    name: 'portcullis_network_verifiable',
    type: 'gauge',
    help: '1 if answers about the subject can be recomputed up to the hash of their block. 0 if answers about the newest blocks cannot be recomputed. Blocks of the network have shown which value applies.',
    labels: ['network', 'subject'],
    merge: 'min',
    read: (state) =>
      readSubjects(state, ({ state }) => (state === 'untested' ? undefined : state === 'verified' ? 1 : 0)),
  },
  {
    name: 'portcullis_network_unverifiable_from',
    type: 'gauge',
    help: 'Number of the first block whose answers about the subject cannot be recomputed, if those of older blocks can. Absent if the answers of all blocks, or of no block, can be recomputed.',
    labels: ['network', 'subject'],
    merge: 'min',
    read: (state) => readSubjects(state, ({ from }) => from),
  },
  {
    name: 'portcullis_network_verified_answers_total',
    type: 'counter',
    help: 'Answers of nodes about blocks and state that were recomputed: verified, unproven (unknown form, or no proof), refuted (by their block).',
    labels: ['network', 'outcome'],
    merge: 'sum',
    *read({ sources }) {
      for (const { name, read } of sources.networks) {
        for (const [outcome, value] of Object.entries(read().verification?.counts ?? {}))
          yield { labels: { network: name, outcome }, value };
      }
    },
  },
  {
    name: 'portcullis_network_trust_total',
    type: 'counter',
    help: 'Answers about blocks and state by level of trust: proven, agreed, single. Cached answers are included.',
    labels: ['network', 'trust'],
    merge: 'sum',
    *read({ sources }) {
      for (const { name, read } of sources.networks) {
        for (const [trust, value] of Object.entries(read().verification?.trust ?? {}))
          yield { labels: { network: name, trust }, value };
      }
    },
  },
  {
    name: 'portcullis_network_anchor_number',
    type: 'gauge',
    help: 'Number of the last block of a rollup that its layer 1 commits to. Absent if layer 1 is not read for an anchor, and before the first block is found.',
    labels: ['network'],
    merge: 'max',
    read: (state) => readChains(state, ({ verification }) => verification?.anchor?.number),
  },
  {
    name: 'portcullis_network_anchor_contradicted',
    type: 'gauge',
    help: '1 while no node has the block that layer 1 commits to, else 0. With 1, answers about blocks cannot be verified.',
    labels: ['network'],
    merge: 'max',
    read: (state) =>
      readChains(state, ({ verification }) =>
        verification?.anchor === undefined ? undefined : Number(verification.anchor.state === 'contradicted'),
      ),
  },
  {
    name: 'portcullis_network_executes_here',
    type: 'gauge',
    help: '1 while calls of a network of nodes are executed here on state that nodes prove, 0 while nodes execute them.',
    labels: ['network'],
    merge: 'min',
    *read({ sources }) {
      for (const [network, { state }] of listExecutions(sources))
        yield { labels: { network }, value: state === 'local' ? 1 : 0 };
    },
  },
  {
    name: 'portcullis_network_executions_total',
    type: 'counter',
    help: 'Calls of a network whose calls are executed here. They are executed here, or sent to nodes for one of these reasons: the block is not on the served chain, fees must be suggested, the rules of the block are not known, its state is not proven, or more state is missing after each round trip.',
    labels: ['network', 'outcome'],
    merge: 'sum',
    *read({ sources }) {
      for (const [network, { executed, left }] of listExecutions(sources)) {
        yield { labels: { network, outcome: 'here' }, value: executed };
        for (const [outcome, value] of Object.entries(left)) yield { labels: { network, outcome }, value };
      }
    },
  },
  {
    name: 'portcullis_network_sampled_calls_total',
    type: 'counter',
    help: 'Answers of nodes to calls that were executed here too: same, refuted (by the execution here and another node), different (no node has the outcome of the execution here), unknown (not comparable).',
    labels: ['network', 'outcome'],
    merge: 'sum',
    *read({ sources }) {
      for (const [network, { samples }] of listExecutions(sources))
        for (const [outcome, value] of Object.entries(samples ?? {}))
          yield { labels: { network, outcome }, value };
    },
  },
  {
    name: 'portcullis_network_state_trips_total',
    type: 'counter',
    help: 'Round trips in which calls that are executed here requested state from nodes.',
    labels: ['network'],
    merge: 'sum',
    *read({ sources }) {
      for (const [network, { roundTrips }] of listExecutions(sources))
        yield { labels: { network }, value: roundTrips };
    },
  },
  {
    name: 'portcullis_network_warmed_heads_total',
    type: 'counter',
    help: 'Heads at which nodes proved the most used state before a call read it.',
    labels: ['network'],
    merge: 'sum',
    *read({ sources }) {
      for (const [network, { warmed }] of listVerified(sources)) yield { labels: { network }, value: warmed };
    },
  },
  {
    name: 'portcullis_network_rolled_heads_total',
    type: 'counter',
    help: 'Heads at which cached state was updated from block access lists, without proofs.',
    labels: ['network'],
    merge: 'sum',
    *read({ sources }) {
      for (const [network, { rolled }] of listVerified(sources)) yield { labels: { network }, value: rolled };
    },
  },
  {
    name: 'portcullis_network_proven_state_bytes',
    type: 'gauge',
    help: 'Memory of the state of a network that nodes have proven, including codes.',
    labels: ['network'],
    merge: 'sum',
    *read({ sources }) {
      for (const [network, { bytes }] of listVerified(sources)) yield { labels: { network }, value: bytes };
    },
  },
  {
    name: 'portcullis_queue_depth',
    type: 'gauge',
    help: 'Calls that are queued on the network; heavy calls that wait for a place in the engine are not included.',
    labels: ['network'],
    merge: 'sum',
    *read({ sources }) {
      for (const { name, readWaiting } of sources.networks) {
        yield { labels: { network: name }, value: readWaiting() };
      }
    },
  },
  {
    name: 'portcullis_upstream_up',
    type: 'gauge',
    help: '1 when the node is in normal use: it answers, is of this chain, and its circuit is closed. Else 0.',
    labels: UPSTREAM_LABELS,
    merge: 'min',
    read: (state) =>
      readUpstreams(state, ({ state: is, circuit }) =>
        (is === 'up' || is === 'lagging') && circuit === 'closed' ? 1 : 0,
      ),
  },
  {
    name: 'portcullis_upstream_cordoned',
    type: 'gauge',
    help: '1 while an operator has taken the node out of service (a cordon of the Admin API). The node is then not in normal use.',
    labels: UPSTREAM_LABELS,
    merge: 'max',
    read: (state) => readUpstreams(state, ({ isCordoned }) => (isCordoned ? 1 : 0)),
  },
  {
    name: 'portcullis_upstream_head_number',
    type: 'gauge',
    help: 'Number of the latest block that the node has reported.',
    labels: UPSTREAM_LABELS,
    merge: 'max',
    read: (state) => readUpstreams(state, ({ head }) => head),
  },
  {
    name: 'portcullis_upstream_lag_blocks',
    type: 'gauge',
    help: 'Blocks that the node is behind the head that is served.',
    labels: UPSTREAM_LABELS,
    merge: 'max',
    read: (state) => readUpstreams(state, ({ lag }) => lag),
  },
  {
    name: 'portcullis_upstream_has_vote',
    type: 'gauge',
    help: '1 when the node has a vote in the head: it is up, not syncing, not far behind, and no better tier is healthy.',
    labels: UPSTREAM_LABELS,
    merge: 'min',
    read: (state) => readUpstreams(state, ({ hasVote }) => (hasVote ? 1 : 0)),
  },
  {
    name: 'portcullis_upstream_request_duration_seconds',
    type: 'histogram',
    help: 'Duration of requests to the node. Failed requests count, cancelled requests do not.',
    labels: UPSTREAM_LABELS,
    merge: 'sum',
    *read({ sources }) {
      for (const network of sources.networks) {
        for (const { name, seconds } of network.read().upstreams) {
          const labels = { network: network.name, upstream: name };
          yield* listBuckets('portcullis_upstream_request_duration_seconds', labels, seconds);
        }
      }
    },
  },
  {
    name: 'portcullis_upstream_faults_total',
    type: 'counter',
    help: 'Answers of the node that could not be used, by kind.',
    labels: [...UPSTREAM_LABELS, 'kind'],
    merge: 'sum',
    *read({ sources }) {
      for (const network of sources.networks) {
        for (const { name, faults } of network.read().upstreams) {
          for (const [kind, value] of faults) {
            yield { labels: { network: network.name, upstream: name, kind }, value };
          }
        }
      }
    },
  },
  {
    name: 'portcullis_upstream_requests_in_flight',
    type: 'gauge',
    help: 'Requests that the node has not answered yet.',
    labels: UPSTREAM_LABELS,
    merge: 'sum',
    read: (state) => readUpstreams(state, ({ inFlight }) => inFlight),
  },
  {
    name: 'portcullis_upstream_circuit_open',
    type: 'gauge',
    help: '1 while the node is used last because it failed too often or left calls unanswered. Meanwhile the service probes the node now and then.',
    labels: UPSTREAM_LABELS,
    merge: 'max',
    read: (state) => readUpstreams(state, ({ circuit }) => (circuit === 'closed' ? 0 : 1)),
  },
  {
    name: 'portcullis_upstream_credits_total',
    type: 'counter',
    help: 'Credits that calls to the node cost at its provider (upstreams[].credits), including requests of the service itself. Absent if calls to the node are free.',
    labels: UPSTREAM_LABELS,
    merge: 'sum',
    read: (state) => readUpstreams(state, ({ creditsSpent }) => creditsSpent),
  },
  {
    name: 'portcullis_upstream_budget_remaining',
    type: 'gauge',
    help: 'Credits of the budget (upstreams[].budget) that are left until its next reset. Nodes of one account have one budget. Absent if the node has no budget.',
    labels: UPSTREAM_LABELS,
    merge: 'min',
    read: (state) => readUpstreams(state, ({ spend }) => spend?.remaining),
  },
  {
    name: 'portcullis_upstream_budget_credits',
    type: 'gauge',
    help: 'Credits of the budget (upstreams[].budget) in one period. Absent if the node has no budget.',
    labels: UPSTREAM_LABELS,
    merge: 'max',
    read: (state) => readUpstreams(state, ({ spend }) => spend?.budget),
  },
];

/** Yields the networks served by nodes, with figures of their verified state. */
function* listVerified({ networks }: Sources): Generator<readonly [network: string, VerifiedStateFigures]> {
  for (const { name, read } of networks) {
    const { provenState } = read();
    if (provenState !== undefined) yield [name, provenState];
  }
}

/** Yields the networks served by nodes on which calls may be executed locally, with figures of execution. */
function* listExecutions({ networks }: Sources): Generator<readonly [network: string, ExecutionFigures]> {
  for (const { name, read } of networks) {
    const { execution } = read();
    if (execution !== undefined) yield [name, execution];
  }
}
