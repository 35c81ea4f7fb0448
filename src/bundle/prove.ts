import type { Header } from '../../packages/ethereum/codecs/header.ts';
import { encodeQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import type { BlockReference } from '../chain/requests.ts';
import { ForkRules } from '../chains/local-execution/remote/fork-rules.ts';
import type { BlockOrOverrides } from '../methods/block-or-overrides.ts';
import { evidenceOf, readHeader } from './evidence.ts';
import { type Bundle, BundleError, encodeBundle, lowerHex, type Rules } from './format.ts';
import { findProvable, type ProvableMethod, readParams } from './provable-methods.ts';
import type { ReadKind } from './reads/read-kind.ts';
import { encodeBlockHeader, requestBlock, type Source } from './request-block.ts';
import { proveRun, type VerifiedRun } from './runs/prove-run.ts';
import { assumeRules, describeRules, readEngineHeader } from './runs/rules.ts';
import { verifyBundle } from './verify-bundle.ts';

/**
 * Returns the rules of a source's chain at a block. The rules come from the first available source: the fork on the command line, the chain's fork
 * schedule, the nodes' report (EIP-7910), the table of public chains.
 * @throws BundleError if no source provides the rules
 */
async function findRules({ chain, scope, config, fork }: Source, header: Header): Promise<Rules> {
  if (fork !== undefined) return assumeRules(chain.chainId, fork, header);
  const rules = new ForkRules(chain.chainId, config);
  if (config === undefined) {
    const answer = await chain.node.getConfig(scope);
    if (answer !== null) rules.note([JSON.parse(answer)]);
  }
  const found = rules.find(header);
  if (found !== undefined) return describeRules(found.config, header);
  throw new BundleError(
    'the network does not report the rules of this block (eth_config): name its fork with --fork',
  );
}

/** Request whose answer and evidence are put into a bundle. */
export type BundleRequest = { readonly method: string; readonly params: readonly unknown[] };

const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };

/** Text of a bundle, and notes for its author about gas estimates that differ from the nodes' estimates. */
export type Proof = { readonly text: string; readonly notes: readonly string[] };

/**
 * Answers a request with a bundle. Node responses are verified when they arrive. The complete bundle is then verified again with `verifyBundle`, as
 * by its reader.
 * @throws BundleError if a part cannot be verified
 * @throws ChainError if the source cannot be reached
 */
export async function prove(question: BundleRequest, given: Source): Promise<Proof> {
  const source = choosePrefix(question, given);
  const provable = findProvable(question.method, source.rollup?.prefix);
  const params = [...(lowerHex(question.params) as readonly unknown[])];
  const { blockAt, read } = provable;
  const named = blockAt === undefined ? undefined : readParams(provable, params)[blockAt];
  const { reference, hasOverrides } = readNamed(named);
  // The parameters in a bundle contain the block number. If state overrides are in the position of the block parameter, a block parameter is inserted
  // before them.
  if (hasOverrides) params.splice(1, 0, 'latest');
  const block = await pinBlock(reference ?? LATEST, source);
  if (blockAt !== undefined) params[blockAt] = block.number;
  const pinned = { method: question.method, params, block };
  const { bundle, notes } =
    read === undefined
      ? await proveExecution(pinned, provable, source)
      : { bundle: await proveRead(pinned, provable, read, source), notes: [] };
  const text = encodeBundle(bundle);
  await verifyBundle(text, { hash: block.hash });
  return { text, notes };
}

/** Sets the rollup prefix of the bundle to the prefix of the requested `<prefix>_estimateGas`. */
function choosePrefix({ method }: BundleRequest, source: Source): Source {
  const { rollup, prefixes = [] } = source;
  const prefix = prefixes.find((each) => method === `${each}_estimateGas`);
  return rollup === undefined || prefix === undefined ? source : { ...source, rollup: { ...rollup, prefix } };
}

/** Reads a parameter that is either a block reference or state overrides. */
function readNamed(named: unknown): { reference: BlockReference | undefined; hasOverrides: boolean } {
  const either = (named ?? {}) as BlockReference | BlockOrOverrides;
  if ('kind' in either) return { reference: either, hasOverrides: false };
  return { reference: either.block, hasOverrides: either.stateOverrides !== undefined };
}

async function proveExecution(
  question: PinnedQuestion,
  { method }: ProvableMethod,
  source: Source,
): Promise<VerifiedRun> {
  const { rollup } = source;
  if (method.needsRollup === true && rollup === undefined)
    throw new BundleError(`the network is not a rollup: it has no method ${question.method}`);
  const header = encodeBlockHeader(await requestBlock(source, question.block.hash, false));
  const rules = await findRules(source, readEngineHeader(header));
  const settings = method.needsRollup === true ? (rollup ?? null) : null;
  return proveRun({ ...question, header, rules, rollup: settings }, source);
}

type PinnedQuestion = Pick<Bundle, 'method' | 'params' | 'block'>;

/** Resolves a block reference to the number and hash of a block. */
async function pinBlock(reference: BlockReference, { chain, scope }: Source): Promise<Bundle['block']> {
  const header = await chain.blocks.getHeader(reference, scope);
  if (header === null) throw new BundleError('the network has no such block: there is nothing to prove');
  if (header.hash === undefined)
    throw new BundleError('a pending block has no hash: there is nothing to prove');
  return { number: encodeQuantity(header.number), hash: header.hash };
}

async function proveRead(
  question: PinnedQuestion,
  provable: ProvableMethod,
  read: ReadKind,
  source: Source,
): Promise<Bundle> {
  const [, index = 0n] = readParams(provable, question.params) as readonly [unknown, bigint?];
  const block = await requestBlock(source, question.block.hash, true);
  const collected = await read.collect(source, block, index);
  const result = lowerHex(collected.result);
  const encoded = encodeBlockHeader(block);
  const evidence = evidenceOf(encoded, collected.evidence);
  const header = readHeader(encoded, question.block.hash);
  const members = read.check({ header, index, result, evidence });
  return {
    ...question,
    answer: { result },
    evidence,
    told: { rules: null, rollup: null, readings: [], members },
  };
}
