/** Rules of the chain, which no block hash commits to: as a bundle tells them, and as the engine takes them. */
import { type ChainConfig, listForkMembers, parseChainConfig } from '../../chain/chain-config.ts';
import { type Header, hasFieldsOf, headerFromRlp } from '../../chain/header.ts';
import { rulesOfHeader } from '../../engine/transition/rules.ts';
import type { Revision } from '../../evm/revisions/revisions.ts';
import { encodeQuantity } from '../../primitives/quantity.ts';
import { decodeRlp } from '../../primitives/rlp.ts';
import { BundleError, type Rules } from '../format.ts';

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
  const { chainId, revision, blobs } = rulesOfHeader(config, header);
  return {
    chainId: encodeQuantity(chainId),
    fork: revision.name as Revision,
    blobBaseFeeUpdateFraction: blobs === undefined ? null : encodeQuantity(blobs.baseFeeUpdateFraction),
  };
}

/** The rules of a chain that has always had a fork, with Ethereum's own price of blobs. */
export function assumeRules(chainId: bigint, fork: Revision, header: Header): Rules {
  return describeRules(
    parseChainConfig({ ...listForkMembers(fork), chainId: encodeQuantity(chainId) }),
    header,
  );
}

/**
 * A chain that has always had the rules told.
 * @throws BundleError where the header cannot be of a block with these rules
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
    throw new BundleError(`the header is not one of the fork ${fork}`);
  if (revision.hasBlobs !== (fraction !== null))
    throw new BundleError(`the fork ${fork} has ${revision.hasBlobs ? 'a' : 'no'} price of blobs`);
  if (fraction !== null && BigInt(fraction) === 0n)
    throw new BundleError('the price of blobs is divided by 0');
  return config;
}
