/** Sends generated requests to both sides and collects the differences. */
import { METHODS } from '../../src/methods/table.ts';
import { DIFFERENCES, type Difference, explain, type Route } from './report/differences.ts';
import type { Outcome } from './report/outcome.ts';
import { shrinkRequest } from './report/shrink.ts';
import type { ChainFacts } from './requests/chain-facts.ts';
import { createGenerator, type GeneratedRequest } from './requests/generators.ts';
import { Random } from './requests/random.ts';
import { ROUTES, type Sides } from './sides.ts';

/** Number of concurrent requests. */
const CONCURRENCY = 16;
/** Number of kinds of failures that are shrunk and described; further kinds are only counted. */
const MAX_KINDS = 40;

export type ComparisonOptions = { readonly requests: number; readonly seed: number };

/** One kind of unexplained difference, with its first request, shrunk. */
export type Failure = {
  readonly number: number;
  readonly route: Route;
  readonly request: GeneratedRequest;
  readonly ours: Outcome;
  readonly geth: Outcome;
  /** Number of occurrences of the kind. */
  count: number;
};

export type Comparison = {
  readonly compared: number;
  readonly failures: readonly Failure[];
  /** Rows of `DIFFERENCES` that explained something, with counts. */
  readonly used: ReadonlyMap<Difference, number>;
  readonly methods: ReadonlyMap<string, number>;
};

type Pair = { readonly ours: Outcome; readonly geth: Outcome };

/** Runs the requests of a seed. @throws Error when a side does not answer */
export async function compare(
  sides: Sides,
  facts: ChainFacts,
  { requests, seed }: ComparisonOptions,
): Promise<Comparison> {
  const names = new Set(METHODS.map(({ name }) => name));
  const generate = createGenerator(facts, (method) => names.has(method));
  const used = new Map<Difference, number>();
  const methods = new Map<string, number>();
  const failures = new Map<string, Failure>();
  let next = 0;
  const work = async (): Promise<void> => {
    for (let number = next++; number < requests; number = next++) {
      const request = generate(new Random(seed, number));
      methods.set(request.method, 1 + (methods.get(request.method) ?? 0));
      const geth = await sides.askGeth(request);
      for (const route of ROUTES) {
        const ours = await sides.askService(request, route);
        if (ours === geth) continue;
        const row = explain(request, route, ours, geth);
        if (row !== undefined) used.set(row, 1 + (used.get(row) ?? 0));
        else note(failures, { number, route, request, ours, geth, count: 1 });
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  const described = [...failures.values()].sort((a, b) => b.count - a.count);
  const shrunk: Failure[] = [];
  for (const failure of described.slice(0, MAX_KINDS)) shrunk.push(await shrink(sides, failure));
  return { compared: requests, failures: [...shrunk, ...described.slice(MAX_KINDS)], used, methods };
}

/** Lists rows for served methods that no request of the run needed. */
export function findUnusedRows({ used, methods }: Comparison): Difference[] {
  return DIFFERENCES.filter(
    (row) =>
      row.chance === undefined &&
      !used.has(row) &&
      (row.methods === undefined || row.methods.some((name) => methods.has(name))),
  );
}

/** Key of a failure's kind: everything except digits. */
function kindOf({ request, route, ours, geth }: Omit<Failure, 'number' | 'count'>): string {
  const general = (text: string): string => text.replace(/0x[0-9a-fA-F]+|\d+/g, 'N').slice(0, 200);
  return `${request.method} ${route === 'embedded' ? route : 'node'} ${general(ours)} | ${general(geth)}`;
}

function note(failures: Map<string, Failure>, failure: Failure): void {
  const kind = kindOf(failure);
  const known = failures.get(kind);
  if (known === undefined) failures.set(kind, failure);
  else known.count++;
}

async function shrink(sides: Sides, failure: Failure): Promise<Failure> {
  const { route } = failure;
  const kind = kindOf(failure);
  let pair: Pair = failure;
  const request = await shrinkRequest(failure.request, async (smaller) => {
    const [geth, ours] = await Promise.all([sides.askGeth(smaller), sides.askService(smaller, route)]);
    if (ours === geth || kindOf({ request: smaller, route, ours, geth }) !== kind) return false;
    if (explain(smaller, route, ours, geth) !== undefined) return false;
    pair = { ours, geth };
    return true;
  });
  return { ...failure, request, ours: pair.ours, geth: pair.geth };
}

const MAX_TEXT = 600;

/** Formats a failure as lines for a reader; of long outcomes only the part around the first difference. */
export function describeFailure(
  { number, route, request, ours, geth, count }: Failure,
  seed: number,
): string {
  let same = 0;
  while (same < ours.length && ours[same] === geth[same]) same++;
  const from = same > MAX_TEXT / 2 ? same - MAX_TEXT / 2 : 0;
  const cut = (text: string): string =>
    `${from > 0 ? '...' : ''}${text.slice(from, from + MAX_TEXT)}${text.length > from + MAX_TEXT ? '...' : ''}`;
  return [
    `${request.method} on ${route}: ${count} like number ${number} of seed ${seed}`,
    `  ${JSON.stringify(request)}`,
    `  ours: ${cut(ours)}`,
    `  geth: ${cut(geth)}`,
  ].join('\n');
}
