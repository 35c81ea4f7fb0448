import { constants } from 'node:perf_hooks';
import type { Collection, Pause } from './probe.ts';
import type { Hot, Profile } from './profile.ts';

/** Cause of a pause of the main thread. */
export type Cause =
  | 'collection of the young generation'
  | 'collection of the old generation'
  | 'timer'
  | 'immediate'
  | 'log'
  | 'compilation or native code'
  | 'requests and answers'
  | 'the machine';

export type ExplainedPause = Pause & {
  readonly cause: Cause;
  /** Microseconds of collections within the pause. */
  readonly young: number;
  readonly old: number;
  readonly hot: Hot;
};

/** Least share of a pause's time that one cause must explain. */
const MOST = 0.5;
/** Functions of Node that run due callbacks, and those of the log's writer. */
const TIMERS = /^(listOnTimeout|processTimers) /;
const IMMEDIATES = /^processImmediate /;
const LOG = /(pino|sonic|logger|writeSync|flushSync)/i;
const NATIVE = /^\(program\)$/;
const COLLECTOR = '(garbage collector)';

/** Separates time taken by the machine from time that the thread ran, and attributes the latter to a cause. */
export function explainPause(
  pause: Pause,
  collections: readonly Collection[],
  profile: Profile,
): ExplainedPause {
  const { from, to } = pause;
  let [young, old] = [0, 0];
  for (const each of collections) {
    const overlap = Math.min(to, each.to) - Math.max(from, each.from);
    if (overlap <= 0) continue;
    if (each.kind === constants.NODE_PERFORMANCE_GC_MINOR) young += overlap;
    else old += overlap;
  }
  const hot = profile.read(from, to);
  return { ...pause, young, old, hot, cause: chooseCause(pause, young, old, hot) };
}

function chooseCause({ from, to, ran }: Pause, young: number, old: number, hot: Hot): Cause {
  if (ran < MOST * (to - from)) return 'the machine';
  if (young + old > MOST * ran) {
    return old > young ? 'collection of the old generation' : 'collection of the young generation';
  }
  const shareOf = (list: Hot['roots'], pattern: RegExp): number =>
    list.reduce((sum, { name, share }) => sum + (pattern.test(name) ? share : 0), 0);
  if (shareOf(hot.leaves, LOG) > MOST) return 'log';
  if (shareOf(hot.leaves, NATIVE) > MOST) return 'compilation or native code';
  if (shareOf(hot.roots, TIMERS) > MOST) return 'timer';
  if (shareOf(hot.roots, IMMEDIATES) > MOST) return 'immediate';
  return 'requests and answers';
}

const SHOWN = 3;

/** Describes the top functions, as `a.ts:1 40 %, b.ts:2 20 %`. */
export function describeHot({ leaves }: Hot): string {
  return leaves
    .filter(({ name }) => name !== COLLECTOR)
    .slice(0, SHOWN)
    .map(({ name, share }) => `${name} ${(100 * share).toFixed(0)} %`)
    .join(', ');
}
