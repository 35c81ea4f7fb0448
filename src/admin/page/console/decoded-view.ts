import { element } from '../dom.ts';
import {
  describeData,
  describeFields,
  describeQuantity,
  type FieldRow,
  formatUnits,
} from './describe-value.ts';
import { listAlternatives, type OpenRpcSchema } from './open-rpc.ts';
import { createReceiptsTable, type ReceiptRow } from './receipts-table.ts';
import { decodeRevert } from './revert.ts';
import { isQuantity } from './values.ts';

type Response = { readonly result?: unknown; readonly error?: RpcFailure };
type RpcFailure = { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown };

/** Renders an answer as readable text. The schema of the result determines how numbers and data are decoded. */
export function decodeAnswer(body: string, resultSchema: OpenRpcSchema | undefined): Node[] {
  let response: Response;
  try {
    response = JSON.parse(body) as Response;
  } catch {
    return [element('p', { class: 'empty' }, body === '' ? 'The body is empty.' : 'The body is not JSON.')];
  }
  if (typeof response !== 'object' || response === null) return [];
  if (response.error !== undefined) return describeFailure(response.error);
  return describeResult(response.result, resultSchema ?? {});
}

function describeFailure({ code, message, data }: RpcFailure): Node[] {
  const rows: FieldRow[] = [{ name: 'code', text: String(code) }];
  let headline = String(message);
  if (typeof data === 'string' && /^0x([0-9a-f]{2})*$/i.test(data)) {
    const { kind, text } = decodeRevert(data);
    rows.push({ name: kind, text });
    if (kind === 'custom error') rows.push({ name: 'data', text: data });
    headline = headline === '' ? 'reverted' : headline;
  } else if (data !== undefined) rows.push({ name: 'data', text: JSON.stringify(data) });
  return [element('p', { class: 'headline bad' }, `✕ ${headline}`), createList(rows)];
}

function describeResult(result: unknown, schema: OpenRpcSchema): Node[] {
  if (result === null || result === undefined) {
    return [
      element('p', { class: 'headline' }, 'Not found'),
      element('p', { class: 'help' }, 'The answer is null.'),
    ];
  }
  if (Array.isArray(result)) return describeReceipts(result as ReceiptRow[]);
  if (typeof result === 'object')
    return [...describeEstimate(result), createList(describeFields(result, schema))];
  if (typeof result !== 'string') return [element('p', { class: 'headline' }, String(result))];
  const alternatives = listAlternatives(schema);
  if (alternatives.some(isQuantity)) {
    const { text, note = '' } = describeQuantity(result);
    return [element('p', { class: 'headline' }, text), element('p', { class: 'help' }, note)];
  }
  if (alternatives.some(({ title }) => title === 'data')) return describeReturn(result);
  return [element('p', { class: 'headline' }, result)];
}

function describeReturn(data: string): Node[] {
  const rows = describeData(data);
  const main = rows.find(({ name }) => name === 'as text') ?? rows.find(({ name }) => name === 'as a number');
  const headline = main?.text ?? (data === '0x' ? 'Nothing was returned' : `${rows[0]?.text} returned`);
  return [element('p', { class: 'headline' }, headline), createList(rows)];
}

function describeReceipts(receipts: readonly ReceiptRow[]): Node[] {
  if (receipts.some((receipt) => typeof receipt !== 'object' || receipt === null)) return [];
  const gas = receipts.reduce((total, { gasUsed }) => total + BigInt(gasUsed ?? 0), 0n);
  const count = `${receipts.length} ${receipts.length === 1 ? 'receipt' : 'receipts'}`;
  return [
    element('p', { class: 'headline' }, `${count}, ${gas.toLocaleString('en')} gas`),
    createReceiptsTable(receipts),
  ];
}

/** Renders the maximum cost of a transaction if a result has exactly a gas limit, a base fee and a priority fee. */
function describeEstimate(result: object): Node[] {
  const { gasLimit, baseFeePerGas, priorityFeePerGas } = result as Record<string, unknown>;
  if (
    Object.keys(result).length !== 3 ||
    [gasLimit, baseFeePerGas, priorityFeePerGas].some((one) => !isHex(one))
  ) {
    return [];
  }
  const gas = BigInt(gasLimit as string);
  const fee = gas * (BigInt(baseFeePerGas as string) + BigInt(priorityFeePerGas as string));
  return [
    element('p', { class: 'headline' }, `${gas.toLocaleString('en')} gas`),
    element('p', { class: 'help' }, `${formatUnits(fee, 18)} ether at these fees`),
  ];
}

function isHex(value: unknown): boolean {
  return typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value);
}

function createList(rows: readonly FieldRow[]): HTMLElement {
  const list = element('dl', { class: 'decoded' });
  for (const { name, text, note } of rows) {
    const shown = element('dd', { class: text.startsWith('0x') ? 'code' : '' }, text);
    if (note !== undefined) shown.append(' ', element('span', { class: 'quiet' }, note));
    list.append(element('div', {}, element('dt', {}, name), shown));
  }
  return list;
}
