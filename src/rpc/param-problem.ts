import { UntracedError } from '../../packages/ethereum/primitives/untraced-error.ts';

/** Maximum length of a name in a message, in characters. The limit is necessary because a key of a map may be as long as a body. */
const MAX_NAME_LENGTH = 80;

/**
 * Problem of a parameter. The message is one line with the problem. If the problem lies inside the parameter, the message begins with the location of
 * the problem.
 */
export class ParamProblem extends UntracedError {
  readonly #problem: string;
  readonly #path: readonly (string | number)[];

  /** @param path names of members and indices of lists, outermost first */
  constructor(problem: string, path: readonly (string | number)[] = []) {
    const place = formatPath(path);
    super(place === '' ? problem : `${place}: ${problem}`);
    this.#problem = problem;
    this.#path = path;
  }

  /** Returns the problem as seen from the enclosing member or element: `part` is put in front of the path. */
  within(part: string | number): ParamProblem {
    return new ParamProblem(this.#problem, [part, ...this.#path]);
  }
}

/**
 * Creates the problem of a value that has the wrong JSON kind.
 * @param kinds expected kinds as named by `kindOf`, without articles
 */
export function createKindProblem(kinds: string | readonly string[], raw: unknown): ParamProblem {
  if (raw === undefined) return new ParamProblem('missing value');
  const wanted = [kinds].flat().map(withArticle).join(' or ');
  return new ParamProblem(`expected ${wanted}, got ${describeKind(raw)}`);
}

/** Returns the JSON kind of a value with its article. */
export function describeKind(value: unknown): string {
  return withArticle(kindOf(value));
}

/** Returns `string`, `number`, `boolean`, `array`, `object` or `null`. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Truncates a client's text to 80 characters, and marks the cut with `…`. */
export function truncateText(text: string): string {
  return text.length <= MAX_NAME_LENGTH ? text : `${text.slice(0, MAX_NAME_LENGTH)}…`;
}

function formatPath(path: readonly (string | number)[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += `${text === '' ? '' : '.'}${truncateText(part)}`;
  }
  return text;
}

function withArticle(noun: string): string {
  if (noun === 'null') return noun;
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}
