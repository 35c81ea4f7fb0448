import { NOTHING, shortenMiddle } from '../format.ts';
import { type Cell, Table } from '../table.ts';

/** Members of a receipt that a row displays; nodes may omit some. */
export type ReceiptRow = {
  readonly transactionIndex?: string;
  readonly transactionHash?: string;
  readonly type?: string;
  readonly status?: string;
  readonly from?: string;
  readonly to?: string | null;
  readonly contractAddress?: string | null;
  readonly gasUsed?: string;
  readonly logs?: readonly unknown[];
};

const TYPES = ['legacy', 'access list', 'fees', 'blobs', 'delegation'] as const;

export function createReceiptsTable(receipts: readonly ReceiptRow[]): HTMLElement {
  const table = new Table<ReceiptRow>({
    caption: 'Receipts',
    keyOf: (_, position) => String(position),
    empty: 'The block has no transactions.',
    limit: 1_000,
    columns: [
      { label: '#', kind: 'number', cell: ({ transactionIndex }) => formatNumber(transactionIndex) },
      { label: 'Status', cell: describeStatus },
      { label: 'Type', cell: ({ type }) => describeType(type) },
      { label: 'Transaction', kind: 'code', cell: ({ transactionHash }) => formatHex(transactionHash) },
      { label: 'From', kind: 'code', cell: ({ from }) => formatHex(from) },
      { label: 'To', kind: 'code', cell: describeTarget },
      { label: 'Gas used', kind: 'number', cell: ({ gasUsed }) => formatNumber(gasUsed) },
      { label: 'Logs', kind: 'number', cell: ({ logs }) => String(logs?.length ?? NOTHING) },
    ],
  });
  table.update(receipts);
  return table.root;
}

function describeStatus({ status }: ReceiptRow): Cell {
  if (status === undefined) return { text: 'state root', tone: 'quiet', title: 'Before Byzantium' };
  return status === '0x1' ? { text: '✓ success', tone: 'ok' } : { text: '✕ failed', tone: 'bad' };
}

function describeType(type: string | undefined): string {
  if (type === undefined) return NOTHING;
  const name = TYPES[Number(type)];
  return name === undefined ? type : `${Number(type)} ${name}`;
}

function describeTarget({ to, contractAddress }: ReceiptRow): Cell {
  if (typeof to === 'string') return formatHex(to);
  return typeof contractAddress === 'string'
    ? { text: `new ${shortenMiddle(contractAddress, 6, 4)}`, title: contractAddress }
    : { text: NOTHING };
}

function formatHex(hex: string | undefined): Cell {
  return hex === undefined ? { text: NOTHING } : { text: shortenMiddle(hex, 6, 4), title: hex };
}

function formatNumber(quantity: string | undefined): string {
  return quantity === undefined ? NOTHING : BigInt(quantity).toLocaleString('en');
}
