import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import { ChainError } from '../../../chain/errors.ts';
import type { CallObject, CallRequest } from '../../../chain/requests.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import type { RemoteExecutions } from './remote-executions.ts';
import type { NodeRef, NodeRequest, Place, RemoteStateSource, StateReply } from './state-source.ts';

/** Result of a call as text. For a failed call, the text contains only kind and data of the error, because error messages differ between clients. */
export type Outcome = string;

/**
 * `same`: the outcome of a node equals the local outcome. `refuted`: a node has the same outcome as the local execution, and nodes with a different
 * outcome were reported. `different`: all usable answers of nodes have a different outcome. `unknown`: no node returned a usable answer.
 */
export type SampleVerdict = 'same' | 'refuted' | 'different' | 'unknown';

/** Number of nodes with an outcome other than the local one after which the comparison of the call ends. */
const MAX_NODES = 8;
/** Allowed relative difference of estimates, because clients end their search at different distances from the minimum gas. */
const ESTIMATE_TOLERANCE = 0.05;
/** Maximum length of an outcome, or of call data, in evidence, UTF-16 units. */
const MAX_SHOWN = 200;
const NO_ADDRESS: string = `0x${'0'.repeat(40)}`;
/** Members of a call object that all clients interpret in the same way. */
const PORTABLE_MEMBERS: ReadonlySet<string> = new Set(['from', 'to', 'gas', 'value', 'data', 'input']);
/**
 * Gas limit, gas price and sender balance with which a call is repeated; all differ from the defaults of clients. The balance pays for the gas of the
 * repeated call.
 */
const REPEATED_GAS = encodeQuantity(9_000_000);
const REPEATED_PRICE = encodeQuantity(10n ** 15n);
const REPEATED_BALANCE = encodeQuantity(10n ** 40n);

export type ComparedCall = {
  readonly kind: 'call' | 'estimate';
  readonly call: CallObject;
  readonly place: Place;
  /** Outcome of the local execution. */
  readonly ours: Outcome;
};

/** Encodes a call as a request to a node. */
export function requestOf(
  kind: ComparedCall['kind'],
  { call, stateOverrides, blockOverrides }: Omit<CallRequest, 'block'>,
): NodeRequest {
  const further = [stateOverrides ?? (blockOverrides && {}), blockOverrides].filter(
    (one) => one !== undefined,
  );
  const rest = further.map((one) => `,${JSON.stringify(one)}`).join('');
  return {
    method: kind === 'call' ? 'eth_call' : 'eth_estimateGas',
    encode: (block) => `[${JSON.stringify(call)},${block}${rest}]`,
  };
}

/** Converts a node's answer to an outcome. @returns undefined if the value is not an answer to a call */
export function readOutcome(answer: unknown): Outcome | undefined {
  if (typeof answer === 'string') return answer.toLowerCase();
  if (!(answer instanceof ChainError)) return undefined;
  if (answer.kind === 'reverted') return `reverted ${String(answer.data ?? '0x').toLowerCase()}`;
  return answer.kind === 'failed' ? 'failed' : undefined;
}

/** Executes a call locally. @returns undefined if the call cannot be executed locally */
export async function executeHere(
  here: RemoteExecutions,
  source: RemoteStateSource,
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

/** Returns whether a contract call has only members that all clients interpret in the same way. */
export function isPlain({ call, stateOverrides, blockOverrides }: CallRequest): boolean {
  return (
    call.to !== undefined &&
    stateOverrides === undefined &&
    blockOverrides === undefined &&
    Object.entries(call).every(([name, value]) => value === undefined || PORTABLE_MEMBERS.has(name))
  );
}

/**
 * Returns whether the outcome of a call depends only on the block, and not on defaults of the client. Code may read gas and base fee. For a call
 * without `gas` or price, clients have different defaults. The call is therefore executed locally again with `REPEATED_GAS` and `REPEATED_PRICE`.
 */
export async function isCertain(
  here: RemoteExecutions,
  source: RemoteStateSource,
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
 * Compares nodes' answers with the local outcome until one equals it. If a node has the local outcome, nodes with a different outcome are wrong. If
 * no node has the local outcome, the local chain rules may be wrong.
 * @param replies replies of the nodes; iterating requests the next one
 * @param mayBlame called before nodes are reported; returns whether a different outcome proves that a node is wrong
 */
export async function compareReplies(
  source: RemoteStateSource,
  compared: ComparedCall,
  replies: AsyncIterable<StateReply>,
  mayBlame: () => Promise<boolean>,
): Promise<SampleVerdict> {
  const { kind, ours, place } = compared;
  const others: { readonly node: NodeRef; readonly outcome: Outcome }[] = [];
  for await (const { node, answer } of replies) {
    const outcome = readOutcome(answer);
    if (outcome === undefined) continue;
    if (outcomesAgree(kind, ours, outcome)) {
      // A node that returned a failure does not count as wrong, because its own limits may cause the failure.
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

/** Returns whether outcomes agree. Gas estimates agree if they differ by at most `ESTIMATE_TOLERANCE` of the node's estimate. */
export function outcomesAgree(kind: ComparedCall['kind'], ours: Outcome, theirs: Outcome): boolean {
  if (ours === theirs) return true;
  if (kind === 'call' || !ours.startsWith('"0x') || !theirs.startsWith('"0x')) return false;
  const [own, other] = [Number(JSON.parse(ours)), Number(JSON.parse(theirs))];
  return Math.abs(own - other) <= ESTIMATE_TOLERANCE * other;
}

function describeDifference({ call, place, ours }: ComparedCall, theirs: Outcome, witness: NodeRef): string {
  return (
    `about block ${place.hash}: eth_call of ${call.to} with data ${shorten(call.input ?? call.data ?? '0x')} is ${shorten(ours)} on verified state ` +
    `and at ${witness.name}, not ${shorten(theirs)}`
  );
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
