/** Rules of the chain, which no block hash commits to: as a bundle tells them, and as the engine takes them. */
import { type ChainConfig, parseChainConfig } from '../../chain/chain-config.ts';
import { type Header, headerFromRlp } from '../../chain/header.ts';
import { type BlockRules, rulesAt } from '../../engine/transition/rules.ts';
import type { ForkField } from '../../evm/revisions/revision-rules.ts';
import { REVISIONS, type Revision } from '../../evm/revisions/revisions.ts';
import { encodeQuantity } from '../../primitives/quantity.ts';
import { decodeRlp } from '../../primitives/rlp.ts';
import { BundleError, type Rules } from '../format.ts';

/** The members of a genesis file's `config` that bring each revision. */
const MEMBERS: Readonly<Record<Revision, readonly string[]>> = {
  frontier: [],
  homestead: ['homesteadBlock'],
  tangerineWhistle: ['eip150Block'],
  spuriousDragon: ['eip155Block', 'eip158Block'],
  byzantium: ['byzantiumBlock'],
  constantinople: ['constantinopleBlock'],
  petersburg: ['petersburgBlock'],
  istanbul: ['istanbulBlock'],
  berlin: ['berlinBlock'],
  london: ['londonBlock'],
  paris: [],
  shanghai: ['shanghaiTime'],
  cancun: ['cancunTime'],
  prague: ['pragueTime'],
  osaka: ['osakaTime'],
  amsterdam: ['amsterdamTime'],
};
const FIELDS: readonly ForkField[] = [
  'baseFeePerGas',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
  'blockAccessListHash',
  'slotNumber',
];
/** Later than any block: Petersburg would else begin with Constantinople. */
const NEVER: number = Number.MAX_SAFE_INTEGER;

/** The header as the engine has it. @throws BundleError where it is not of Ethereum's form */
export function readEngineHeader(encoded: Uint8Array): Header {
  try {
    return headerFromRlp(decodeRlp(encoded));
  } catch (error) {
    if (error instanceof RangeError)
      throw new BundleError(`calls are not executed on headers of this form: ${error.message}`);
    throw error;
  }
}

/** The rules that a chain with this schedule has at a block. */
export function describeRules(config: ChainConfig, header: Header): Rules {
  const { chainId, revision, blobs } = rulesOf(config, header);
  return {
    chainId: encodeQuantity(chainId),
    fork: revision.name as Revision,
    blobBaseFeeUpdateFraction: blobs === undefined ? null : encodeQuantity(blobs.baseFeeUpdateFraction),
  };
}

/** The rules of a chain that has always had a fork, with Ethereum's own price of blobs. */
export function assumeRules(chainId: bigint, fork: Revision, header: Header): Rules {
  return describeRules(parseChainConfig({ ...listForks(fork), chainId: encodeQuantity(chainId) }), header);
}

/** Members of a genesis file's `config` for a chain that has always had a fork. */
function listForks(fork: Revision): Readonly<Record<string, number>> {
  const members = REVISIONS.slice(0, REVISIONS.indexOf(fork) + 1).flatMap((name) => MEMBERS[name]);
  return { petersburgBlock: NEVER, ...Object.fromEntries(members.map((member) => [member, 0])) };
}

/**
 * A chain that has always had the rules told.
 * @throws BundleError where the header cannot be of a block with these rules
 */
export function createConfig(rules: Rules, header: Header): ChainConfig {
  const { chainId, fork, blobBaseFeeUpdateFraction: fraction } = rules;
  const blobs = fraction === null ? undefined : { target: 0, max: 0, baseFeeUpdateFraction: fraction };
  const config = parseChainConfig({
    ...listForks(fork),
    chainId,
    ...(blobs !== undefined && { blobSchedule: { cancun: blobs, prague: blobs, osaka: blobs } }),
  });
  const { revision } = rulesOf(config, header);
  const fits = FIELDS.every((field) => revision.headerFields.has(field) === (header[field] !== undefined));
  if (revision.name !== fork || !fits) throw new BundleError(`the header is not one of the fork ${fork}`);
  if (revision.hasBlobs !== (fraction !== null))
    throw new BundleError(`the fork ${fork} has ${revision.hasBlobs ? 'a' : 'no'} price of blobs`);
  if (fraction !== null && BigInt(fraction) === 0n)
    throw new BundleError('the price of blobs is divided by 0');
  return config;
}

function rulesOf(config: ChainConfig, { number, timestamp, difficulty }: Header): BlockRules {
  return rulesAt(config, { number, timestamp, isMerged: difficulty === 0n });
}
