import type { JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import type { Members } from '../../../../packages/proofs/findings.ts';
import { isMembers } from '../../../../packages/proofs/members.ts';
import { type StateProofRequest, verifyAccountProof } from '../../../../packages/proofs/state-proof.ts';
import type { VerifiedHeader } from '../../../../packages/proofs/verify-block.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import { parseText } from '../../../pool/parse-text.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import type { AnsweredBy, Send } from '../../../pool/upstream-request.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { describeRead } from '../state-client.ts';
import { lacksProof } from './lacks-proof.ts';
import type { Verifier } from './verifier.ts';

/** Maximum number of nodes from which a proof is requested until one verifies; most pools have fewer nodes. */
const CONFIRMATIONS = 16;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const FIRST_SLOT: string = `0x${'0'.repeat(64)}`;

/** A block with a verified header, and an account that a transaction of the block touched. */
export type StateSample = { readonly header: VerifiedHeader; readonly address: string };

/** Result of a proof request for a sample. `unproven`: no answer verified. `silent`: no node returned an answer, right or wrong. */
export type StateTrial =
  | { readonly kind: 'proven' | 'silent' }
  | { readonly kind: 'unproven'; readonly reason: string };

/**
 * Chooses the account of a sample: the recipient of the block's first transaction, or else the fee recipient, or else the zero address. The returned
 * address is lower-case.
 */
export function chooseAccount({ transactions, miner }: Members): string {
  const [first]: readonly unknown[] = Array.isArray(transactions) ? transactions : [];
  const to = isMembers(first) ? first['to'] : undefined;
  const address = [to, miner].find((each) => typeof each === 'string' && ADDRESS.test(each));
  return typeof address === 'string' ? address.toLowerCase() : `0x${'0'.repeat(40)}`;
}

/** Requests a proof of an account and its slot 0 from one node after the other, until a proof verifies or no further node answers. */
export async function tryState(
  verifier: Verifier,
  ask: Send,
  { header, address }: StateSample,
  scope: RequestScope,
): Promise<StateTrial> {
  const request: StateProofRequest = { address, slots: [FIRST_SLOT] };
  const { number, hash } = header;
  const at = { number, hash, isCanonical: true };
  const call = describeRead('eth_getProof', `"${address}",["${FIRST_SLOT}"]`, at);
  const requested = new Set<Upstream>();
  let reason: string | undefined;
  while (requested.size < CONFIRMATIONS) {
    const witness: AnsweredBy = {};
    try {
      const text = (await ask({ call, scope, except: requested, witness })) as JsonText;
      const { findings } = verifier.openTools();
      verifyAccountProof(await parseText(text, scope), request, header.stateRoot, findings);
      const [finding] = findings.list;
      if (finding === undefined) return { kind: 'proven' };
      reason ??= finding.text;
    } catch (error) {
      if (!lacksProof(error) && !(error instanceof UpstreamFault)) throw error;
      if (lacksProof(error)) reason ??= `no node proves the state: ${error.message}`;
      // An UpstreamFault means that every node has failed, so the search ends. A ChainError is the error answer of a single node, so the next node is
      // tried.
      if (error instanceof UpstreamFault) break;
    }
    if (witness.upstream === undefined) break;
    requested.add(witness.upstream);
  }
  return reason === undefined ? { kind: 'silent' } : { kind: 'unproven', reason };
}
