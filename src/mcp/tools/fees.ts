import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import { objectOf } from '../../rpc/codec/object-codec.ts';
import { toGwei } from '../format-values.ts';
import { defineTool, type Tool } from '../tool.ts';
import { GatewayRefusal } from '../tool-error.ts';

/** Number of blocks, and percentiles of their gas, from which priority fees are suggested. */
const HISTORY = encodeQuantity(20);
const PERCENTILES = [10, 50, 90];
const SPEEDS = ['slow', 'normal', 'fast'] as const;

type History = {
  readonly baseFeePerGas?: readonly string[];
  readonly reward?: readonly (readonly string[])[];
};

export const feesTool: Tool = defineTool({
  name: 'fees',
  title: 'Read fees',
  description:
    'Returns the base fee of the head and of the next block, and suggested fees from the last 20 blocks, in gwei. maxFee covers a doubled base fee.',
  methods: ['eth_getBlockByNumber', 'eth_feeHistory', 'eth_gasPrice', 'eth_blobBaseFee'],
  args: objectOf('fees', {}),
  async handle(_, run) {
    const { number, header } = await run.stamp();
    const [history, gasPrice, blobBaseFee] = await Promise.all([
      run.request('eth_feeHistory', [HISTORY, encodeQuantity(number), PERCENTILES]) as Promise<History>,
      run.request('eth_gasPrice', []),
      // Chains before Cancun and many rollups have no blobs.
      run.request('eth_blobBaseFee', []).catch((error: unknown) => {
        if (error instanceof GatewayRefusal && error.code !== undefined) return null;
        throw error;
      }),
    ]);
    const next = history.baseFeePerGas?.at(-1);
    const base = BigInt(next ?? 0);
    const suggested = SPEEDS.map((speed, i) => {
      const priority = median((history.reward ?? []).map((rewards) => BigInt(rewards[i] ?? 0)));
      return [
        speed,
        {
          maxPriorityFeeGwei: toGwei(encodeQuantity(priority)),
          maxFeeGwei: toGwei(encodeQuantity(2n * base + priority)),
        },
      ];
    });
    return {
      baseFeeGwei: toGwei(header['baseFeePerGas']),
      nextBaseFeeGwei: toGwei(next),
      gasPriceGwei: toGwei(gasPrice),
      blobBaseFeeGwei: toGwei(blobBaseFee),
      suggested: Object.fromEntries(suggested),
    };
  },
});

function median(values: readonly bigint[]): bigint {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.floor(sorted.length / 2)] ?? 0n;
}
