/** Converts the rules of a chain between the form in bundles and the form in the engine. No block hash commits to these rules. */
import {
  type ChainConfig,
  listForkMembers,
  parseChainConfig,
} from '../../../packages/ethereum/codecs/chain-config.ts';
import { type Header, hasFieldsOf, headerFromRlp } from '../../../packages/ethereum/codecs/header.ts';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import { decodeRlp } from '../../../packages/ethereum/primitives/rlp.ts';
import type { Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { rulesOfHeader } from '../../../packages/evm/transition/rules.ts';
import { BundleError, type Rules } from '../format.ts';

/** Decodes a header for the engine. @throws BundleError if the header does not have Ethereum's form */
export function readEngineHeader(encoded: Uint8Array): Header {
  try {
    return headerFromRlp(decodeRlp(encoded));
  } catch (error) {
    if (error instanceof RangeError)
      throw new BundleError(`calls cannot be executed on a header of this form: ${error.message}`);
    throw error;
  }
}

/** Returns the rules at a block, for a chain with this fork schedule. */
export function describeRules(config: ChainConfig, header: Header): Rules {
  const { chainId, revision, blobs } = rulesOfHeader(config, header);
  return {
    chainId: encodeQuantity(chainId),
    fork: revision.name as Revision,
    blobBaseFeeUpdateFraction: blobs === undefined ? null : encodeQuantity(blobs.baseFeeUpdateFraction),
  };
}

/** Returns the rules for a chain on which the fork is active from block 0, with Ethereum's parameters of the blob base fee. */
export function assumeRules(chainId: bigint, fork: Revision, header: Header): Rules {
  return describeRules(
    parseChainConfig({ ...listForkMembers(fork), chainId: encodeQuantity(chainId) }),
    header,
  );
}

/**
 * Returns the configuration of a chain on which these rules apply from block 0.
 * @throws BundleError if the header cannot belong to a block with these rules
 */
export function createConfig(rules: Rules, header: Header): ChainConfig {
  const { chainId, fork, blobBaseFeeUpdateFraction: fraction } = rules;
  const blobs = fraction === null ? undefined : { target: 0, max: 0, baseFeeUpdateFraction: fraction };
  const config = parseChainConfig({
    ...listForkMembers(fork),
    chainId,
    ...(blobs !== undefined && { blobSchedule: { cancun: blobs, prague: blobs, osaka: blobs } }),
  });
  const { revision } = rulesOfHeader(config, header);
  if (revision.name !== fork || !hasFieldsOf(revision, header))
    throw new BundleError(`the header does not fit the fork ${fork}`);
  if (revision.hasBlobs !== (fraction !== null))
    throw new BundleError(`the fork ${fork} has ${revision.hasBlobs ? 'a' : 'no'} blob base fee`);
  if (fraction !== null && BigInt(fraction) === 0n)
    throw new BundleError('the update fraction of the blob base fee is 0');
  return config;
}
