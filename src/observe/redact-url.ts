/** Maximum length of a path segment that is logged unchanged. Names in routes are shorter; a key of this service has 32 characters. */
const LONGEST_READABLE_SEGMENT = 15;
const LONGEST_PATH = 200;

/**
 * Redacts a request target for the log. The segment after `v3`, and every segment long enough to be a misplaced key,
 * becomes `***`. The query is dropped.
 */
export function redactUrl(target: string): string {
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  const segments = path.slice(0, LONGEST_PATH).split('/');
  return segments
    .map((segment, i) =>
      segment.length > LONGEST_READABLE_SEGMENT || (segment !== '' && segments[i - 1]?.toLowerCase() === 'v3')
        ? '***'
        : segment,
    )
    .join('/');
}
