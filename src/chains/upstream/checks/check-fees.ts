import type { JsonResult } from '../../../../packages/ethereum/primitives/json-result.ts';
import { UpstreamFault } from '../../../pool/fault.ts';

const OLDEST = /"oldestBlock"\s*:\s*"(0x[0-9a-fA-F]{1,16})"/;

const PADDED = /"0x0+(?=[0-9a-fA-F])/g;

/** Removes leading zeros, which some nodes write, from all quantities of a fee history. A fee history contains no strings except quantities. */
export function trimFeeHistory(result: JsonResult): JsonResult {
  return typeof result === 'string' && result.search(PADDED) >= 0 ? result.replace(PADDED, '"0x') : result;
}

/**
 * Creates a check that a fee history is for the requested blocks: its oldest block must be one of the `blockCount` blocks that end at `newest`. A
 * node may return fewer blocks than requested. Other members are not checked, because they differ between clients.
 * @param newest number of the requested block
 * @returns a check that throws UpstreamFault `wrong` if the oldest block is none of the requested blocks
 */
export function checkFeeHistory(newest: bigint, blockCount: number): (result: JsonResult) => JsonResult {
  return (result) => {
    const isObject = typeof result === 'string' && result.trimStart().startsWith('{');
    const text = isObject ? OLDEST.exec(result)?.[1] : undefined;
    const oldest = text === undefined ? undefined : BigInt(text);
    if (oldest !== undefined && oldest <= newest && newest - oldest < blockCount)
      return trimFeeHistory(result);
    throw new UpstreamFault('wrong', 'the fee history is not for the requested blocks');
  };
}
