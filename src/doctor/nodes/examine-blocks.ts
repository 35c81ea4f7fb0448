import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { ReportedBlock } from '../../pool/heads/block.ts';
import { parseBlock } from '../../pool/heads/parse-block.ts';
import type { ProbedTag, TagSupport } from './examination.ts';
import type { NodeProbe, ProbeOutcome } from './node-probe.ts';

const METHOD = 'eth_getBlockByNumber';
/** Maximum number of blocks before the latest block among which a block with transactions is searched. */
const SEARCHED_BLOCKS = 8;

/** Tests for each block tag whether the node has a block. */
export async function examineTags(requests: NodeProbe): Promise<Readonly<Record<ProbedTag, TagSupport>>> {
  const probe = async (tag: ProbedTag): Promise<TagSupport> =>
    classifyTag(await requests.ask(METHOD, [tag, false]));
  const [earliest, finalized, safe, pending] = await Promise.all([
    probe('earliest'),
    probe('finalized'),
    probe('safe'),
    probe('pending'),
  ]);
  return { earliest, finalized, safe, pending };
}

/** Reads the latest block; undefined if the answer is not a block. */
export async function readLatest(requests: NodeProbe): Promise<ReportedBlock | undefined> {
  return readBlock(await requests.ask(METHOD, ['latest', false]));
}

/** Returns a recent block with transactions, on which methods can be tested; without such a block, `latest`. */
export async function findSample(requests: NodeProbe, latest: ReportedBlock): Promise<ReportedBlock> {
  if (latest.transactionHashes.length > 0) return latest;
  const numbers = Array.from({ length: SEARCHED_BLOCKS }, (_, i) => latest.number - BigInt(i + 1));
  const blocks = await Promise.all(
    numbers
      .filter((number) => number >= 0n)
      .map(async (number) => readBlock(await requests.ask(METHOD, [encodeQuantity(number), false]))),
  );
  return blocks.find((block) => block !== undefined && block.transactionHashes.length > 0) ?? latest;
}

function readBlock(outcome: ProbeOutcome): ReportedBlock | undefined {
  if (outcome.kind !== 'result') return undefined;
  try {
    return parseBlock(outcome.value);
  } catch {
    return undefined;
  }
}

/** Classifies the answer for a block tag. Nodes that do not know a tag return null or an error, whose text differs between clients. */
function classifyTag(outcome: ProbeOutcome): TagSupport {
  if (outcome.kind === 'fault') return { state: 'unclear', reason: outcome.reason };
  if (outcome.kind === 'error') {
    const { kind } = outcome.verdict;
    const isUnclear = kind === 'rateLimited' || kind === 'timeout' || kind === 'unauthorized';
    return { state: isUnclear ? 'unclear' : 'no', reason: outcome.reason };
  }
  if (outcome.value === null) return { state: 'no', reason: 'null' };
  const { number } = Object(outcome.value) as { readonly number?: unknown };
  if (typeof number !== 'string' || !/^0x[0-9a-f]{1,16}$/i.test(number)) return { state: 'yes' };
  return { state: 'yes', number: BigInt(number) };
}
