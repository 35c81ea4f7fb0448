import { UntracedError } from '../primitives/untraced-error.ts';

/** Names in a message are cut here: a key of a map may be as long as a body. */
const MAX_NAME_LENGTH = 80;

/** What is wrong with a parameter. The message is one line: where inside the parameter, if inside, and what. */
export class ParamProblem extends UntracedError {
  readonly #problem: string;
  readonly #path: readonly (string | number)[];

  /** @param path names of members and positions in lists, from the outside in */
  constructor(problem: string, path: readonly (string | number)[] = []) {
    const place = formatPath(path);
    super(place === '' ? problem : `${place}: ${problem}`);
    this.#problem = problem;
    this.#path = path;
  }

  /** The same problem seen from the object or list around it. */
  within(part: string | number): ParamProblem {
    return new ParamProblem(this.#problem, [part, ...this.#path]);
  }
}

/**
 * The problem of a value of the wrong kind.
 * @param kinds the kinds that it may be of, as `describeKind` names them, without articles
 */
export function createKindProblem(kinds: string | readonly string[], raw: unknown): ParamProblem {
  if (raw === undefined) return new ParamProblem('missing value');
  const wanted = [kinds].flat().map(withArticle).join(' or ');
  return new ParamProblem(`expected ${wanted}, got ${describeKind(raw)}`);
}

/** What kind of JSON value this is, with its article. */
export function describeKind(value: unknown): string {
  return withArticle(kindOf(value));
}

/** `string`, `number`, `boolean`, `array`, `object` or `null`. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** At most 80 characters of a text that a client chose. */
export function shorten(text: string): string {
  return text.length <= MAX_NAME_LENGTH ? text : `${text.slice(0, MAX_NAME_LENGTH)}…`;
}

function formatPath(path: readonly (string | number)[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += `${text === '' ? '' : '.'}${shorten(part)}`;
  }
  return text;
}

function withArticle(noun: string): string {
  if (noun === 'null') return noun;
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}
