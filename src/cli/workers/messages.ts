import type { MetricsJson } from '../../observe/metrics/render-metrics.ts';
import type { StatusReport } from '../../observe/status-report.ts';
import type { ListenAddress } from '../../server/lifecycle.ts';
import type { Recipe } from '../recipe.ts';
import type { WorkerLoad } from './worker-load.ts';

/** What the primary says to a worker. A question has an id, which comes back with its answer. */
export type ToWorker =
  | {
      readonly say: 'serve';
      readonly recipe: Recipe;
      readonly workers: number;
      readonly demoNetworks: readonly string[];
      readonly isStrict: boolean;
    }
  | { readonly say: 'stop' }
  | ({ readonly say: 'ask'; readonly id: number } & Question);

export type Question =
  | { readonly what: 'status' }
  | { readonly what: 'metrics' }
  | { readonly what: 'certificate' }
  | { readonly what: 'load' }
  | { readonly what: 'partWith'; readonly connections: number }
  | { readonly what: 'reload'; readonly recipe: Recipe };

/** What a worker says to the primary. */
export type FromWorker =
  /** It listens from now on: what is said before is lost. */
  | { readonly say: 'hello' }
  | { readonly say: 'ready'; readonly address: ListenAddress }
  | { readonly say: 'failed'; readonly reason: string }
  | { readonly say: 'answer'; readonly id: number; readonly answer: Answer };

export type Answer =
  | { readonly status: StatusReport }
  | { readonly metrics: MetricsJson }
  | { readonly load: WorkerLoad }
  | { readonly done: true }
  | { readonly failed: readonly string[] };
