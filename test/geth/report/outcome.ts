/** Outcome of a request as comparable text: `result JSON`, or `error CODE MESSAGE DATA`. */
export type Outcome = string;

/** Suffix with the name of the limit that refused, which this service appends to geth's message. */
const BOUND = / \(bound: [\w.]+\)$/;

type WireError = { readonly code: number; readonly message: string; readonly data?: unknown };
type WireAnswer = { readonly result?: unknown; readonly error?: WireError };

/** Sorts the members of JSON objects, which have no order; nothing else changes. */
function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sortMembers(member)]),
  );
}

/** @throws Error when the body does not answer exactly one request */
export function readOutcome(body: string): Outcome {
  let answer: WireAnswer;
  try {
    answer = JSON.parse(body) as WireAnswer;
  } catch {
    throw new Error(`not JSON: ${body.slice(0, 200)}`);
  }
  const { error } = answer;
  if (error !== undefined) {
    const data = error.data === undefined ? '' : ` ${JSON.stringify(sortMembers(error.data))}`;
    return `error ${error.code} ${error.message.replace(BOUND, '')}${data}`;
  }
  if (answer.result === undefined) throw new Error(`neither result nor error: ${body.slice(0, 200)}`);
  return `result ${JSON.stringify(sortMembers(answer.result))}`;
}
