import type { Codec } from '../rpc/codec/codec.ts';
import { byKind } from '../rpc/codec/kind-codec.ts';
import { listOf } from '../rpc/codec/list-codec.ts';
import { createBoundError, RpcError } from '../rpc/errors.ts';
import { ParamProblem } from '../rpc/param-problem.ts';
import { nothing, number } from '../rpc/schemas.ts';
import { limitOf } from '../util/bounds.ts';

/**
 * Maximum number of blocks of one fee history, equal to geth's `MaxHeaderHistory` and `MaxBlockHistory`. A block count above this maximum is reduced
 * to the maximum.
 */
export const MAX_HISTORY_BLOCKS = 1_024;
/** Maximum number of percentiles, equal to geth's `maxQueryLimit`. */
const MAX_PERCENTILES = limitOf('feeHistory.percentiles');
const MAX_COUNT = 2n ** 64n - 1n;
const INVALID_PERCENTILE = 'invalid reward percentile';

/** Block count in the syntax of geth's `HexOrDecimal64`: a JSON number, or a string of decimal or hex digits. The empty string is parsed as 0. */
export const blockCount: Codec<bigint> = {
  parse(raw) {
    const count = parseBlockCount(raw);
    if (count === undefined) throw new ParamProblem('invalid hex or decimal integer');
    return count;
  },
  jsonSchema: {
    title: 'block count',
    oneOf: [
      { title: 'quantity', type: 'string', pattern: '^(0[xX][0-9a-fA-F]+|[0-9]*)$' },
      { title: 'number', type: 'integer', minimum: 0 },
    ],
  },
};

function parseBlockCount(value: unknown): bigint | undefined {
  if (typeof value === 'number') {
    return Number.isInteger(value) && value >= 0 && value < 2 ** 64 ? BigInt(value) : undefined;
  }
  if (typeof value !== 'string' || !/^(0[xX][0-9a-fA-F]+|[0-9]*)$/.test(value)) return undefined;
  const count = BigInt(value);
  return count > MAX_COUNT ? undefined : count;
}

/** List of JSON numbers; `null` is decoded as 0, as in Go. `checkPercentiles` checks range and order, after the block count is known. */
export const percentileList: Codec<readonly (number | null)[]> = listOf(byKind({ number, null: nothing }));

/**
 * Returns the percentiles with `null` replaced by 0.
 * @throws RpcError in geth's words for too many percentiles, or for a percentile out of order or out of range
 */
export function checkPercentiles(list: readonly (number | null)[]): readonly number[] {
  if (list.length > MAX_PERCENTILES) {
    throw createBoundError('serverError', 'feeHistory.percentiles', MAX_PERCENTILES);
  }
  const percentiles = list.map((percentile) => percentile ?? 0);
  for (const [i, percentile] of percentiles.entries()) {
    const before = percentiles[i - 1];
    if (percentile < 0 || percentile > 100) {
      throw new RpcError('serverError', `${INVALID_PERCENTILE}: ${formatFloat(percentile)}`);
    }
    if (before !== undefined && percentile <= before) {
      const pair = `#${i - 1}:${formatFloat(before)} >= #${i}:${formatFloat(percentile)}`;
      throw new RpcError('serverError', `${INVALID_PERCENTILE}: ${pair}`);
    }
  }
  return percentiles;
}

/** Formats a number like Go's `%f`: six decimals, and all digits of large numbers. */
function formatFloat(value: number): string {
  return Math.abs(value) < 1e21 ? value.toFixed(6) : `${BigInt(value)}.000000`;
}
