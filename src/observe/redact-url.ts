/** Shorter segments are names of routes; a key of ours has 32 characters. */
const LONGEST_PLAIN_SEGMENT = 15;
const LONGEST_PATH = 200;

/**
 * A request target as it may be logged: the segment after `v3` and everything that is long enough to be a
 * key in the wrong place become `***`, the query is dropped.
 */
export function redactUrl(target: string): string {
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  const segments = path.slice(0, LONGEST_PATH).split('/');
  return segments
    .map((segment, i) =>
      segment.length > LONGEST_PLAIN_SEGMENT || (segment !== '' && segments[i - 1]?.toLowerCase() === 'v3')
        ? '***'
        : segment,
    )
    .join('/');
}
