import { countOf } from '../../../../util/count-of.ts';
import { formatShare, NOTHING } from '../../format.ts';
import type { Column } from '../../table.ts';
import { formatWei, readHexNumber } from './cells.ts';
import type { AnswerObject, ViewContext } from './context.ts';
import { createDecodedList, createHeadline } from './decoded-list.ts';
import { createRows } from './rows.ts';

/** Fees of one block. */
type BlockFees = {
  readonly name: string;
  readonly baseFee: unknown;
  readonly gasShare: unknown;
  readonly blobFee: unknown;
  readonly blobShare: unknown;
  readonly rewards: readonly unknown[];
};

/** Displays the result of `eth_feeHistory`: a row for each block, and one for the base fee of the next block. */
export function createFeeHistoryView(result: unknown, { params }: ViewContext): Node[] {
  const history = result as AnswerObject;
  const percentiles = listOf(params[2]);
  const fees = readFees(history);
  const next = fees.at(-1);
  const columns: readonly Column<BlockFees>[] = [
    { label: 'Block', kind: 'number', cell: ({ name }) => name },
    { label: 'Base fee', kind: 'number', cell: ({ baseFee }) => formatWei(baseFee, 'gwei') },
    { label: 'Gas used', kind: 'number', cell: ({ gasShare }) => formatRatio(gasShare) },
    { label: 'Blob base fee', kind: 'number', cell: ({ blobFee }) => formatWei(blobFee, 'gwei') },
    ...percentiles.map((percentile, i) => ({
      label: `Tip ${String(percentile)}%`,
      kind: 'number' as const,
      cell: ({ rewards }: BlockFees) => formatWei(rewards[i], 'gwei'),
    })),
  ];
  return [
    ...createHeadline(
      `Next base fee: ${formatWei(next?.baseFee, 'gwei')}`,
      `${countOf(Math.max(0, fees.length - 1), 'block')} from ${fees[0]?.name ?? NOTHING} on`,
    ),
    createRows({
      caption: 'Fees by block',
      items: fees,
      columns,
      open: ({ name, baseFee, gasShare, blobFee, blobShare, rewards }) => [
        createDecodedList([
          { name: 'block', text: name },
          { name: 'baseFeePerGas', text: formatWei(baseFee, 'gwei'), note: String(baseFee ?? '') },
          { name: 'gasUsedRatio', text: formatRatio(gasShare) },
          { name: 'baseFeePerBlobGas', text: formatWei(blobFee, 'gwei'), note: String(blobFee ?? '') },
          { name: 'blobGasUsedRatio', text: formatRatio(blobShare) },
          ...rewards.map((reward, i) => ({
            name: `reward at ${String(percentiles[i])}%`,
            text: formatWei(reward, 'gwei'),
            note: String(reward),
          })),
        ]),
      ],
    }),
  ];
}

/** Returns the fees by block. The last base fee is the one of the block after the history. */
function readFees(history: AnswerObject): readonly BlockFees[] {
  const first = readHexNumber(history['oldestBlock']) ?? 0n;
  const [base, ratios] = [listOf(history['baseFeePerGas']), listOf(history['gasUsedRatio'])];
  const [blobFees, blobRatios] = [listOf(history['baseFeePerBlobGas']), listOf(history['blobGasUsedRatio'])];
  const rewards = listOf(history['reward']);
  return Array.from({ length: Math.max(base.length, ratios.length) }, (_, i) => {
    const number = (first + BigInt(i)).toLocaleString('en');
    return {
      name: i < ratios.length ? number : `${number} (next)`,
      baseFee: base[i],
      gasShare: ratios[i],
      blobFee: blobFees[i],
      blobShare: blobRatios[i],
      rewards: listOf(rewards[i]),
    };
  });
}

function formatRatio(ratio: unknown): string {
  return formatShare(typeof ratio === 'number' ? ratio : undefined);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
