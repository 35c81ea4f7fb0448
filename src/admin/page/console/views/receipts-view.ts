import { countOf } from '../../../../util/count-of.ts';
import { NOTHING } from '../../format.ts';
import type { Cell } from '../../table.ts';
import { describeFields } from '../describe-value.ts';
import { formatHexCell, formatQuantityCell, sumQuantities } from './cells.ts';
import { type AnswerObject, listObjects, type ViewContext } from './context.ts';
import { createDecodedList, createHeadline, createPartTitle } from './decoded-list.ts';
import { createLogRows } from './logs-view.ts';
import { createRows } from './rows.ts';
import { formatTransactionType } from './transactions-view.ts';

/** Displays the receipts of a block, or one receipt. */
export function createReceiptsView(result: unknown, context: ViewContext): Node[] {
  if (!Array.isArray(result)) return describeReceipt(result as AnswerObject, context, true);
  const receipts = listObjects(result);
  const failed = receipts.filter(({ status }) => status === '0x0').length;
  const gas = sumQuantities(receipts.map(({ gasUsed }) => gasUsed));
  const headline = createHeadline(
    `${countOf(receipts.length, 'receipt')}, ${gas.toLocaleString('en')} gas`,
    receipts.length === 0 ? 'The block has no transactions.' : `${countOf(failed, 'failed transaction')}`,
  );
  if (receipts.length === 0) return headline;
  return [
    ...headline,
    createRows<AnswerObject>({
      caption: 'Receipts',
      items: receipts,
      columns: [
        { label: '#', kind: 'number', cell: ({ transactionIndex }) => formatQuantityCell(transactionIndex) },
        { label: 'Status', cell: describeStatus },
        { label: 'Type', cell: ({ type }) => formatTransactionType(type) },
        { label: 'Transaction', kind: 'code', cell: ({ transactionHash }) => formatHexCell(transactionHash) },
        { label: 'From', kind: 'code', cell: ({ from }) => formatHexCell(from) },
        { label: 'To', kind: 'code', cell: describeTarget },
        { label: 'Gas used', kind: 'number', cell: ({ gasUsed }) => formatQuantityCell(gasUsed) },
        {
          label: 'Logs',
          kind: 'number',
          cell: ({ logs }) => (Array.isArray(logs) ? String(logs.length) : NOTHING),
        },
      ],
      open: (receipt) => describeReceipt(receipt, context, false),
    }),
  ];
}

function describeReceipt(receipt: AnswerObject, context: ViewContext, isAlone: boolean): Node[] {
  const { logs, ...rest } = receipt;
  const { text, tone } = describeStatus(receipt);
  const gas = formatQuantityCell(receipt['gasUsed']);
  const known = listObjects(logs);
  return [
    ...(isAlone
      ? createHeadline(
          `${text}, ${gas} gas, ${countOf(known.length, 'log')}`,
          '',
          tone === 'bad' ? 'bad' : '',
        )
      : []),
    createDecodedList(describeFields(rest, {})),
    ...(known.length === 0 ? [] : [createPartTitle('Logs'), createLogRows(known, context)]),
  ];
}

function describeStatus({ status }: AnswerObject): Cell {
  if (status === undefined) return { text: 'state root', tone: 'quiet', title: 'Before Byzantium' };
  return status === '0x1' ? { text: '✓ success', tone: 'ok' } : { text: '✕ failed', tone: 'bad' };
}

function describeTarget({ to, contractAddress }: AnswerObject): Cell {
  if (typeof to === 'string') return formatHexCell(to);
  const created = formatHexCell(contractAddress);
  return created.text === NOTHING ? created : { ...created, text: `new ${created.text}` };
}
