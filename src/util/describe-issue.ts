import type * as z from 'zod';

/** Words of the configuration file for zod's type names. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a map',
  record: 'a map',
  array: 'a list',
  null: 'nothing',
};

/** Matches zod's default messages. zod uses them where a schema has no message of its own. */
const OF_ZOD = /^(Invalid|Too (small|big)|Unrecognized)\b/;

/**
 * Returns the issues of the form of a union that fits the value best: the value has the type of the form, and the fewest of its members are wrong.
 * If the value has the type of no form, or the issue is not of a union, the issue itself is returned.
 */
export function expandUnion(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const [best] = issue.errors
    .filter((issues) => issues.length > 0 && issues.every((one) => one.path.length > 0 || isOfMember(one)))
    .toSorted((a, b) => a.length - b.length);
  if (best === undefined) return [issue];
  return best.flatMap((one) => expandUnion({ ...one, path: [...issue.path, ...one.path] }));
}

/** Whether an issue of a map is about one of its members, although its path is that of the map. */
const isOfMember = ({ code }: z.core.$ZodIssue): boolean => code === 'unrecognized_keys';

/** Describes an invalid value to operators. The description does not contain the value. */
export function describeIssue(issue: z.core.$ZodIssue): string {
  const { message } = issue;
  if (!OF_ZOD.test(message)) return message;
  switch (issue.code) {
    case 'invalid_type': {
      const [, provided = ''] = /, received (\w+)$/.exec(message) ?? [];
      if (provided === 'undefined') return 'is missing';
      const expected = TYPES[issue.expected] ?? issue.expected;
      const isPlain = issue.expected === 'int' || TYPES[provided] === undefined;
      return `expected ${expected}${isPlain ? '' : `, not ${TYPES[provided]}`}`;
    }
    case 'too_small':
      return describeBound(
        issue.origin,
        Number(issue.minimum),
        issue.inclusive === false ? 'above' : 'at least',
      );
    case 'too_big':
      return describeBound(
        issue.origin,
        Number(issue.maximum),
        issue.inclusive === false ? 'below' : 'at most',
      );
    case 'invalid_value':
      return `expected ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    default:
      return message.replace(/^Invalid input: /, '');
  }
}

/**
 * Describes all invalid values, each with its path. A description may quote a value, so it must be shown only to the caller who provided the values.
 */
export function describeIssues(issues: readonly z.core.$ZodIssue[]): string {
  const texts = issues
    .flatMap(expandUnion)
    .map((issue) =>
      issue.path.length === 0 ? describeIssue(issue) : `${issue.path.join('.')}: ${describeIssue(issue)}`,
    );
  return [...new Set(texts)].join('; ');
}

function describeBound(origin: string, bound: number, relation: string): string {
  const unit = UNITS[origin];
  if (unit === undefined) return `expected ${relation} ${bound}`;
  if (bound === 1 && relation === 'at least') return 'must not be empty';
  return `expected ${relation} ${bound} ${unit}`;
}

const UNITS: Readonly<Record<string, string>> = {
  string: 'characters',
  array: 'entries',
  set: 'entries',
  map: 'entries',
};
