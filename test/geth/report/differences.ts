/**
 * Where the service means to differ from geth: one row each, pinned to what both say. A request that differs in another way
 * fails, and so does a row that a whole run has not used.
 */
import type { GeneratedRequest } from '../requests/generators.ts';
import type { Outcome } from './outcome.ts';

export type Route = 'embedded' | 'HTTP node' | 'WebSocket node';

export type Difference = {
  readonly reason: string;
  /** Methods that it is about; absent: all. */
  readonly methods?: readonly string[];
  /** Routes that it is about; absent: all. */
  readonly routes?: readonly Route[];
  /** The whole outcome of each side. */
  readonly ours: RegExp;
  readonly geth: RegExp;
  /** What else must hold of the request. */
  readonly when?: (request: GeneratedRequest) => boolean;
};

const INVALID = /^error -32602 .*$/s;

export const DIFFERENCES: readonly Difference[] = [
  {
    reason: 'the words for a malformed parameter name its place and what was expected',
    ours: INVALID,
    geth: INVALID,
  },
  {
    reason: 'spec 2.8: four methods do not support the tag `safe`; the network rejects it unless told otherwise',
    methods: ['eth_getUncleByBlockNumberAndIndex', 'eth_getTransactionByBlockNumberAndIndex', 'eth_getBlockReceipts'],
    ours: /^error -32602 .*safe.*$/,
    geth: /^result .*$/s,
    when: ({ params }) => JSON.stringify(params[0]).includes('"safe"'),
  },
];

/** The row that explains why a request's outcomes differ; undefined when none does. */
export function explain(
  request: GeneratedRequest,
  route: Route,
  ours: Outcome,
  geth: Outcome,
): Difference | undefined {
  return DIFFERENCES.find(
    ({ methods, routes, when, ...row }) =>
      (methods === undefined || methods.includes(request.method)) &&
      (routes === undefined || routes.includes(route)) &&
      row.ours.test(ours) &&
      row.geth.test(geth) &&
      (when === undefined || when(request)),
  );
}
