import { countOf } from '../../../../util/count-of.ts';
import { describeFields } from '../describe-value.ts';
import { formatBlockTime, formatQuantityCell } from './cells.ts';
import { type AnswerObject, isObject, listObjects, type ViewContext } from './context.ts';
import { createDecodedList, createHeadline, createPartTitle } from './decoded-list.ts';
import { createTransactionRows } from './transactions-view.ts';

/** Displays a block or a header: its fields, and its transactions. */
export function createBlockView(result: unknown, context: ViewContext): Node[] {
  const { transactions, ...rest } = result as AnswerObject;
  const list = Array.isArray(transactions) ? (transactions as readonly unknown[]) : undefined;
  const title = `Block ${formatQuantityCell(rest['number'])}`;
  const counted = list === undefined ? title : `${title}, ${countOf(list.length, 'transaction')}`;
  return [
    ...createHeadline(counted, formatBlockTime(rest['timestamp'])),
    ...(list === undefined ? [] : createTransactions(list, context)),
    createPartTitle('Header'),
    createDecodedList(describeFields(rest, context.schema)),
  ];
}

function createTransactions(list: readonly unknown[], context: ViewContext): Node[] {
  if (list.length === 0) return [];
  if (list.every(isObject)) return [createTransactionRows(listObjects(list), context)];
  const hashes = list.map((hash, i) => ({ name: `transaction ${i}`, text: String(hash) }));
  return [createDecodedList(hashes)];
}
