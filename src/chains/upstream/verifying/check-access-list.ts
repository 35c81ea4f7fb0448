import { Findings } from '../../../../packages/proofs/findings.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import type { Verifier } from './verifier.ts';

/** Result of checking a block access list (EIP-7928) that a node has returned. */
export type ReportedAccessList = {
  /** Number of the requested block. */
  readonly number: bigint;
  readonly hash: string;
  /** True if the hash of the list is the hash in the header. */
  readonly isCorrect: boolean;
  /** True if the request named the block by hash. A request by number may reach a node on another branch. */
  readonly isByHash: boolean;
};

/**
 * Records an access list as verified or refuted.
 * @param verifier absent if verification is off
 * @param upstream the node that returned the list
 * @throws UpstreamFault `wrong` if the list is incorrect. If state is verified and the request named the block by hash, the node of the incorrect
 * list is quarantined when another node returns the correct list.
 */
export function checkAccessList(
  verifier: Verifier | undefined,
  { number, hash, isCorrect, isByHash }: ReportedAccessList,
  upstream: Upstream | undefined,
): void {
  const text = 'the block access list does not hash to the hash in the header';
  const findings = new Findings();
  if (!isCorrect) findings.contradict('state', text);
  if (isByHash && verifier?.calibration.stateOf('state', number) === 'verified')
    verifier.classify({ number, hash: `${hash}/accessList` }, findings.list, ['state'], upstream);
  if (!isCorrect) throw new UpstreamFault('wrong', text);
}
