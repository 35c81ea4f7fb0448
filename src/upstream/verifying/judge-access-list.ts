import { Findings } from '../../verification/findings.ts';
import { UpstreamFault } from '../fault.ts';
import type { Upstream } from '../upstream.ts';
import type { Verifier } from './verifier.ts';

/** A block access list of a node. */
export type ToldAccessList = {
  /** The block that it was asked for. */
  readonly number: bigint;
  readonly hash: string;
  /** Whether it has the hash that the header has of it. */
  readonly isRight: boolean;
  /** Whether the node was asked by the hash of the block: by height it may have told of another one. */
  readonly isByHash: boolean;
};

/** @param verifier absent where nothing is verified @throws UpstreamFault `wrong`, for which the node is quarantined once another one has given the right list */
export function judgeAccessList(
  verifier: Verifier | undefined,
  { number, hash, isRight, isByHash }: ToldAccessList,
  upstream: Upstream | undefined,
): void {
  const text = 'the block access list is not the one that the header commits to';
  const findings = new Findings();
  if (!isRight) findings.contradict('state', text);
  if (isByHash && verifier?.calibration.stateOf('state', number) === 'verified')
    verifier.judge({ number, hash: `${hash}/accessList` }, findings.list, ['state'], upstream);
  if (!isRight) throw new UpstreamFault('wrong', text);
}
