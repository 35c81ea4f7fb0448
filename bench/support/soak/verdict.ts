import { median } from '../../load.ts';
import type { Figure } from '../figures.ts';
import type { Sample } from './sample.ts';

/** Shares of the run after which memory is compared: minutes 10, 30 and 60 of an hour. */
export const MARKS: readonly number[] = [10, 30, 60].map((minute) => minute / 60);
/** Memory at a mark is the median of this many samples up to it, because a single one may be before or after a collection. */
const SAMPLES_OF_MARK = 3;
const MAX_SPREAD = 5;
const MAX_MEGABYTES = 150;

/** Returns the memory at the marks, megabytes. */
export function readMarks(samples: readonly Sample[]): readonly number[] {
  return MARKS.map((share) => {
    const end = Math.round(share * samples.length);
    const before = samples.slice(Math.max(0, end - SAMPLES_OF_MARK), end);
    return median(before.map(({ anonymous }) => anonymous));
  });
}

/** Returns by how much the highest value exceeds the lowest, per cent. */
export function spreadOf(values: readonly number[]): number {
  return 100 * (Math.max(...values) / Math.min(...values) - 1);
}

/**
 * Returns the figures of the bench's last line.
 * @param failed number of failed calls, polls and subscriptions
 */
export function judgeSoak(samples: readonly Sample[], failed: number): readonly Figure[] {
  const marks = readMarks(samples);
  const highest = Math.max(...samples.map(({ anonymous }) => anonymous));
  const pause = Math.max(...samples.map(({ delayMax }) => delayMax));
  return [
    ...marks.map((value, at) => ({
      name: at === 0 ? 'RssAnon at the marks' : 'then',
      value,
      unit: ' MB',
      digits: 0,
    })),
    {
      name: 'spread of RssAnon at the marks',
      value: spreadOf(marks),
      below: MAX_SPREAD,
      unit: ' %',
      digits: 1,
    },
    { name: 'highest RssAnon', value: highest, below: MAX_MEGABYTES, unit: ' MB', digits: 0 },
    { name: 'failed', value: failed, below: 1, digits: 0 },
    { name: 'longest pause', value: pause, unit: ' ms', digits: 1 },
  ];
}
