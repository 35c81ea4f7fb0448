import { countOf } from '../../../../util/count-of.ts';
import { NOTHING } from '../../format.ts';
import type { Cell } from '../../table.ts';
import { describeFields } from '../describe-value.ts';
import { formatAmount, formatHexCell, formatQuantityCell, formatWei } from './cells.ts';
import { type AnswerObject, listObjects, type ViewContext } from './context.ts';
import { createDecodedList, createHeadline, createPartTitle } from './decoded-list.ts';
import { createRows } from './rows.ts';

const TYPES = ['legacy', 'access list', 'fees', 'blobs', 'delegation'] as const;

/** Displays one transaction or a list, with calldata decoded by the known interfaces. */
export function createTransactionsView(result: unknown, context: ViewContext): Node[] {
  if (!Array.isArray(result)) {
    const transaction = result as AnswerObject;
    const value = formatWei(transaction['value'], 'ether');
    const purpose = describePurpose(transaction, context).text;
    return [...createHeadline(purpose, `${value} sent along`), ...describeTransaction(transaction, context)];
  }
  const transactions = listObjects(result);
  return [
    ...createHeadline(countOf(transactions.length, 'transaction')),
    createTransactionRows(transactions, context),
  ];
}

/** Creates a table of transactions. */
export function createTransactionRows(
  transactions: readonly AnswerObject[],
  context: ViewContext,
): HTMLElement {
  return createRows<AnswerObject>({
    caption: 'Transactions',
    items: transactions,
    columns: [
      { label: '#', kind: 'number', cell: ({ transactionIndex }) => formatQuantityCell(transactionIndex) },
      { label: 'Call', cell: (transaction) => describePurpose(transaction, context) },
      { label: 'Type', cell: ({ type }) => formatTransactionType(type) },
      { label: 'Transaction', kind: 'code', cell: ({ hash }) => formatHexCell(hash) },
      { label: 'From', kind: 'code', cell: ({ from }) => formatHexCell(from) },
      { label: 'To', kind: 'code', cell: ({ to }) => formatHexCell(to) },
      { label: 'Value', kind: 'number', cell: ({ value }) => formatAmount(value) },
    ],
    open: (transaction) => describeTransaction(transaction, context),
  });
}

/** Formats the type of a transaction by its EIP-2718 number. */
export function formatTransactionType(type: unknown): string {
  if (typeof type !== 'string') return NOTHING;
  const name = TYPES[Number(type)];
  return name === undefined ? type : `${Number(type)} ${name}`;
}

function describeTransaction(transaction: AnswerObject, { interfaces }: ViewContext): Node[] {
  const call = interfaces.decodeCall(transaction['input']);
  const fields = createDecodedList(describeFields(transaction, {}));
  if (call === undefined) return [fields];
  return [
    createPartTitle(call.item.signature),
    createDecodedList(call.rows),
    createPartTitle('All fields'),
    fields,
  ];
}

function describePurpose({ to, input }: AnswerObject, { interfaces }: ViewContext): Cell {
  if (typeof to !== 'string') return { text: 'contract creation' };
  const call = interfaces.decodeCall(input);
  if (call !== undefined) return { text: call.item.name, title: call.item.signature };
  if (typeof input !== 'string' || input === '0x') return { text: 'transfer of ether' };
  return { text: `call ${input.slice(0, 10)}`, tone: 'quiet' };
}
