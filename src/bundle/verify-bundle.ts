import { hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { encodeQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import type { Revision } from '../../packages/evm/interpreter/revisions/revisions.ts';
import { type HeaderEvidence, readHeader } from './evidence.ts';
import { type Bundle, BundleError, type BundleEvidence, decodeBundle } from './format.ts';
import { findProvable, type ProvableMethod, readParams } from './provable-methods.ts';
import type { ReadKind } from './reads/read-kind.ts';
import { runBundle } from './runs/check-run.ts';

/** Facts that the reader of a bundle already knows. A bundle that contradicts one of these facts is rejected. */
export type Expected = {
  /** Block hash as lower-case `0x` text. The whole bundle is verified against this hash. */
  readonly hash: string;
  /** Chain id as a quantity. */
  readonly chainId?: string;
  readonly fork?: Revision;
};

/**
 * Verifies a bundle against a block hash, without sending any request.
 * @returns decoded bundle
 * @throws BundleError with the reason if the answer does not follow from the evidence
 */
export async function verifyBundle(text: string, expected: Expected): Promise<Bundle> {
  try {
    const bundle = decodeBundle(text);
    await checkBundle(bundle, expected);
    return bundle;
  } catch (error) {
    // A RangeError comes from a malformed trie node or malformed RLP, or from lists that are nested too deeply for the stack.
    if (error instanceof RangeError) throw new BundleError(`the bundle is malformed: ${error.message}`);
    throw error;
  }
}

async function checkBundle(bundle: Bundle, { hash, chainId, fork }: Expected): Promise<void> {
  const { method, block, evidence, told } = bundle;
  if (block.hash !== hash) throw new BundleError(`the bundle is about block ${block.hash}, not ${hash}`);
  const { rules } = told;
  if (rules !== null && rules.chainId !== (chainId ?? rules.chainId))
    throw new BundleError(`the bundle was made for chain ${BigInt(rules.chainId)}`);
  if (rules !== null && rules.fork !== (fork ?? rules.fork))
    throw new BundleError(`the bundle was made with the rules of ${rules.fork}`);
  const header = readHeader(hexToBytes(evidence.header), hash);
  if (block.number !== encodeQuantity(header.verified.number))
    throw new BundleError(
      `the block with this hash has number ${encodeQuantity(header.verified.number)}, not ${block.number}`,
    );
  const provable = findProvable(method, told.rollup?.prefix);
  if (provable.blockAt !== undefined && bundle.params[provable.blockAt] !== block.number)
    throw new BundleError(`the parameters name a block other than ${block.number}`);
  if (provable.read !== undefined) checkRead(bundle, provable, provable.read, header);
  else await checkRun(bundle, provable, header);
}

async function checkRun(bundle: Bundle, { method }: ProvableMethod, header: HeaderEvidence): Promise<void> {
  const { evidence, told, answer } = bundle;
  requireOnly(evidence, ['ancestors', 'nodes', 'codes']);
  if (told.members.length > 0)
    throw new BundleError('the bundle lists members as told that its evidence covers');
  if (told.rollup === null && method.needsRollup === true)
    throw new BundleError(`${method.name} is a method of rollups, and the bundle names none`);
  if (told.rollup !== null && method.needsRollup !== true)
    throw new BundleError(`the bundle names a rollup, and ${method.name} is no method of rollups`);
  const found = await runBundle(bundle, header);
  if (JSON.stringify(found) !== JSON.stringify(answer))
    throw new BundleError(`another answer follows from the evidence: ${shorten(JSON.stringify(found))}`);
}

/** Maximum number of characters of an answer in an error message. */
const SHOWN = 200;

function shorten(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}...`;
}

function checkRead(bundle: Bundle, provable: ProvableMethod, read: ReadKind, header: HeaderEvidence): void {
  const { params, answer, evidence, told } = bundle;
  requireOnly(evidence, read.uses);
  if (told.rules !== null || told.rollup !== null || told.readings.length > 0)
    throw new BundleError('the bundle has rules or readings, which its answer does not need');
  if (!('result' in answer)) throw new BundleError('no block proves an error of this method');
  const [, index = 0n] = readParams(provable, params) as readonly [unknown, bigint?];
  const members = read.check({ header, index, result: answer.result, evidence });
  if (JSON.stringify(members) !== JSON.stringify(told.members))
    throw new BundleError(
      `not covered by the evidence: ${members.join(', ') || 'nothing'}; the bundle lists other members as told`,
    );
}

/** @throws BundleError if the evidence has a list that the method does not use */
function requireOnly(evidence: BundleEvidence, uses: readonly (keyof BundleEvidence)[]): void {
  for (const [name, list] of Object.entries(evidence)) {
    if (Array.isArray(list) && list.length > 0 && !uses.includes(name as keyof BundleEvidence))
      throw new BundleError(`the evidence has ${name}, which the answer does not need`);
  }
}
