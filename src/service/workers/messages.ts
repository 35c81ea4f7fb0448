import type { CordonAnswer, NodeName, NodeView } from '../../admin/api/api-sources.ts';
import type { MetricsJson } from '../../observe/metrics/render-metrics.ts';
import type { StatusReport } from '../../observe/status-report.ts';
import type { ListenAddress } from '../../server/lifecycle.ts';
import type { ConfigSource } from '../config-source.ts';
import type { WorkerLoad } from './worker-load.ts';

/** Messages from the primary to a worker. A request has an id, which the answer repeats. */
export type ToWorker =
  | {
      readonly say: 'serve';
      readonly configSource: ConfigSource;
      readonly workers: number;
      readonly demoNetworks: readonly string[];
      readonly isStrict: boolean;
      readonly cordons: readonly NodeName[];
    }
  | { readonly say: 'stop' }
  | ({ readonly say: 'ask'; readonly id: number } & Request);

export type Request =
  | { readonly what: 'status' }
  | { readonly what: 'metrics' }
  | { readonly what: 'certificate' }
  | { readonly what: 'load' }
  | { readonly what: 'partWith'; readonly connections: number }
  | { readonly what: 'nodes' }
  | { readonly what: 'cordon'; readonly name: NodeName; readonly isForced: boolean }
  | { readonly what: 'uncordon'; readonly name: NodeName }
  | { readonly what: 'evict'; readonly network?: string }
  | { readonly what: 'reload'; readonly configSource: ConfigSource };

/** Messages from a worker to the primary. */
export type FromWorker =
  /** The worker receives messages after `hello`; earlier messages are lost. */
  | { readonly say: 'hello' }
  | { readonly say: 'ready'; readonly address: ListenAddress }
  | { readonly say: 'failed'; readonly reason: string }
  | { readonly say: 'answer'; readonly id: number; readonly answer: WorkerAnswer };

export type WorkerAnswer =
  | { readonly status: StatusReport }
  | { readonly metrics: MetricsJson }
  | { readonly load: WorkerLoad }
  | { readonly nodes: readonly NodeView[] }
  | { readonly cordon: CordonAnswer }
  /** Whether the network of an `evict` exists. */
  | { readonly isKnown: boolean }
  | { readonly done: true }
  | { readonly failed: readonly string[] };
