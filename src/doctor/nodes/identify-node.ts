import { readInteger } from '../../../packages/proofs/members.ts';
import type { Verdict } from '../../pool/errors/verdict.ts';
import { type FaultKind, UpstreamFault } from '../../pool/fault.ts';
import { type Identity, readIdentity } from '../../pool/identity.ts';
import type { OwnTransport } from '../../pool/request-value.ts';
import type { SilentNode } from './examination.ts';
import type { NodeProbe, ProbeOutcome } from './node-probe.ts';

type Fault = SilentNode['fault'];

/** Returns the identity of the node, or the fault that prevents reading it. */
export async function identifyNode(
  own: OwnTransport,
  requests: NodeProbe,
  limitMs: number,
): Promise<Identity | Fault> {
  const fault = findFault(await requests.ask('eth_chainId'));
  if (fault !== undefined) return fault;
  try {
    return await readIdentity(own, performance.now() + limitMs, requests.secrets);
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
    return { kind: error.kind, reason: requests.clean(error.message) };
  }
}

/** Kinds of node errors that correspond to a kind of fault. */
const FAULTS: Readonly<Partial<Record<Verdict['kind'], FaultKind>>> = {
  rateLimited: 'rateLimited',
  timeout: 'timeout',
  unauthorized: 'unauthorized',
  unsupported: 'unsupported',
};

/** Returns the reason why an answer to `eth_chainId` is invalid; undefined if it is a chain id. */
export function findFault(outcome: ProbeOutcome): Fault | undefined {
  if (outcome.kind === 'fault') return { kind: outcome.fault, reason: outcome.reason };
  if (outcome.kind === 'error') {
    return { kind: FAULTS[outcome.verdict.kind] ?? 'unknown', reason: `eth_chainId: ${outcome.reason}` };
  }
  try {
    readInteger(outcome.value, 'eth_chainId');
    return undefined;
  } catch {
    return { kind: 'malformed', reason: 'eth_chainId is not a quantity' };
  }
}
