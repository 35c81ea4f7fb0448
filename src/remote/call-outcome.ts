import { ChainError } from '../chain/errors.ts';
import type { CallObject, CallRequest } from '../chain/requests.ts';
import { encodeQuantity } from '../primitives/quantity.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { RemoteExecutions } from './remote-executions.ts';
import type { NodeQuestion, NodeRef, Opinion, Place, StateSource } from './state-source.ts';

/** The result of a call as text; of a failure its kind and data, since clients have different words. */
export type Outcome = string;

/**
 * `same`: a node has the outcome that there is here. `refuted`: the same, and nodes that gave another one were reported. `different`: no node has it.
 * `unknown`: nodes did not answer.
 */
export type Verdict = 'same' | 'refuted' | 'different' | 'unknown';

/** Nodes that are asked about one call. */
const MAX_NODES = 8;
/** Clients end their search for an estimate at different distances from the least gas: the part by which they may differ. */
const ESTIMATE_TOLERANCE = 0.05;
/** UTF-16 units of an outcome or of data that the log has. */
const MAX_SHOWN = 200;
const NO_ADDRESS: string = `0x${'0'.repeat(40)}`;
/** Members that all clients understand alike. */
const PLAIN_MEMBERS: ReadonlySet<string> = new Set(['from', 'to', 'gas', 'value', 'data', 'input']);
/** Gas, price and balance of the repeated execution: unlike what clients fill in, and enough to pay for. */
const REPEATED_GAS = encodeQuantity(9_000_000);
const REPEATED_PRICE = encodeQuantity(10n ** 15n);
const REPEATED_BALANCE = encodeQuantity(10n ** 40n);

export type ComparedCall = {
  readonly kind: 'call' | 'estimate';
  readonly call: CallObject;
  readonly place: Place;
  /** Of the execution here. */
  readonly ours: Outcome;
};

/** A call as a question to a node. */
export function askOf(
  kind: ComparedCall['kind'],
  { call, stateOverrides, blockOverrides }: Omit<CallRequest, 'block'>,
): NodeQuestion {
  const further = [stateOverrides ?? (blockOverrides && {}), blockOverrides].filter(
    (one) => one !== undefined,
  );
  const rest = further.map((one) => `,${JSON.stringify(one)}`).join('');
  return {
    method: kind === 'call' ? 'eth_call' : 'eth_estimateGas',
    encode: (block) => `[${JSON.stringify(call)},${block}${rest}]`,
  };
}

/** @returns undefined where it is no answer to a call */
export function readOutcome(answer: unknown): Outcome | undefined {
  if (typeof answer === 'string') return answer.toLowerCase();
  if (!(answer instanceof ChainError)) return undefined;
  if (answer.kind === 'reverted') return `reverted ${String(answer.data ?? '0x').toLowerCase()}`;
  return answer.kind === 'failed' ? 'failed' : undefined;
}

/** Executes a call here. @returns undefined where that is not possible */
export async function executeHere(
  here: RemoteExecutions,
  source: StateSource,
  kind: ComparedCall['kind'],
  request: CallRequest,
  scope: RequestScope,
): Promise<Outcome | undefined> {
  try {
    return readOutcome(await here.execute(kind, request, scope));
  } catch (error) {
    if (!source.isOutage(error)) throw error;
    return readOutcome(error);
  }
}

/** Whether a call of a contract has only members that all clients interpret alike. */
export function isPlain({ call, stateOverrides, blockOverrides }: CallRequest): boolean {
  return (
    call.to !== undefined &&
    stateOverrides === undefined &&
    blockOverrides === undefined &&
    Object.entries(call).every(([name, value]) => value === undefined || PLAIN_MEMBERS.has(name))
  );
}

/**
 * Whether an outcome follows from the block alone: clients give calls different amounts of gas and, where the call names no price, base fees, and code may see both.
 * The call is executed again with other gas and a price.
 */
export async function isCertain(
  here: RemoteExecutions,
  source: StateSource,
  { call, place, ours }: ComparedCall,
  scope: RequestScope,
): Promise<boolean> {
  const request: CallRequest = {
    call: { ...call, gas: REPEATED_GAS, gasPrice: REPEATED_PRICE },
    block: { kind: 'hash', hash: place.hash, requireCanonical: false },
    stateOverrides: { [call.from ?? NO_ADDRESS]: { balance: REPEATED_BALANCE } },
  };
  return ours !== 'failed' && ours === (await executeHere(here, source, 'call', request, scope));
}

/**
 * Compares nodes' answers with the outcome here until one is the same; that decides between this program's rules and the nodes before.
 * @param opinions of one node after the other
 * @param mayBlame asked before nodes are reported for their answers
 */
export async function judgeOpinions(
  source: StateSource,
  compared: ComparedCall,
  opinions: AsyncIterable<Opinion>,
  mayBlame: () => Promise<boolean>,
): Promise<Verdict> {
  const { kind, ours, place } = compared;
  const others: { readonly node: NodeRef; readonly outcome: Outcome }[] = [];
  for await (const { node, answer } of opinions) {
    const outcome = readOutcome(answer);
    if (outcome === undefined) continue;
    if (areSame(kind, ours, outcome)) {
      // A node may fail by limits of its own.
      const wrong = others.filter((other) => other.outcome !== 'failed');
      if (wrong.length === 0 || !(await mayBlame())) return 'same';
      for (const other of wrong)
        source.refute(other.node, place, describeDifference(compared, other.outcome, node));
      return 'refuted';
    }
    others.push({ node, outcome });
    if (others.length >= MAX_NODES) break;
  }
  return others.length > 0 ? 'different' : 'unknown';
}

export function areSame(kind: ComparedCall['kind'], ours: Outcome, theirs: Outcome): boolean {
  if (ours === theirs) return true;
  if (kind === 'call' || !ours.startsWith('"0x') || !theirs.startsWith('"0x')) return false;
  const [own, other] = [Number(JSON.parse(ours)), Number(JSON.parse(theirs))];
  return Math.abs(own - other) <= ESTIMATE_TOLERANCE * other;
}

function describeDifference({ call, place, ours }: ComparedCall, theirs: Outcome, witness: NodeRef): string {
  return (
    `of block ${place.hash}: eth_call of ${call.to} with data ${shorten(call.input ?? call.data ?? '0x')} is ${shorten(ours)} on proven state ` +
    `and at ${witness.name}, and not ${shorten(theirs)}`
  );
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
