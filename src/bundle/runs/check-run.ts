import { hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { MissingState } from '../../chains/embedded/state/missing-state.ts';
import { type HeaderEvidence, readPieces } from '../evidence.ts';
import { type Bundle, type BundleAnswer, BundleError } from '../format.ts';
import { EvidenceBlock } from './evidence-block.ts';
import { createEvidenceChain } from './evidence-chain.ts';
import { BundledReadings } from './readings.ts';
import { runMethod } from './run-method.ts';

/**
 * Executes the method of a bundle on the evidence in the bundle.
 * @returns answer that follows from the evidence
 * @throws BundleError if evidence is missing or unused
 */
export async function runBundle(bundle: Bundle, { encoded }: HeaderEvidence): Promise<BundleAnswer> {
  const { evidence, told } = bundle;
  if (told.rules === null) throw new BundleError('the bundle does not name the rules of its execution');
  const [nodes, codes] = [readPieces(evidence.nodes), readPieces(evidence.codes)];
  const block = new EvidenceBlock(encoded, told.rules, nodes, codes);
  for (const ancestor of evidence.ancestors) block.addAncestor(hexToBytes(ancestor));
  const readings = new BundledReadings(told.readings);
  const chain = createEvidenceChain(block, readings, []);
  try {
    const answer = await runMethod(bundle, chain, told.rollup, readings);
    block.refuseUnused();
    readings.refuseUnused();
    return answer;
  } catch (error) {
    if (!(error instanceof MissingState)) throw error;
    throw new BundleError(`the evidence lacks ${describeNeed(error)}`);
  }
}

/** Describes the missing part of a state, for error messages. */
export function describeNeed({ need }: MissingState): string {
  switch (need.kind) {
    case 'account':
      return `the proof of account ${need.address}`;
    case 'slot':
      return `the proof of slot ${need.slot} of ${need.address}`;
    case 'code':
      return `the code with the hash ${need.hash}`;
    case 'blockHash':
      return `the headers down to block ${need.number + 1n}`;
  }
}
