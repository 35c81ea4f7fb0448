import { countOf } from '../../../../util/count-of.ts';
import {
  describeData,
  describeFields,
  describeHex,
  describeQuantity,
  formatUnits,
} from '../describe-value.ts';
import { listAlternatives } from '../open-rpc.ts';
import { isQuantity } from '../values.ts';
import { readHexNumber } from './cells.ts';
import { type AnswerObject, isObject, type ViewContext } from './context.ts';
import { createDecodedList, createHeadline } from './decoded-list.ts';
import { createRows } from './rows.ts';

/** Displays a result without a view of its own: a number, data, an object, or a list of any values. */
export function createPlainView(result: unknown, context: ViewContext): Node[] {
  if (result === null || result === undefined) return createHeadline('Not found', 'The answer is null.');
  if (Array.isArray(result)) return createList(result);
  if (isObject(result)) {
    return [...describeEstimate(result), createDecodedList(describeFields(result, context.schema))];
  }
  return typeof result === 'string' ? createText(result, context) : createHeadline(String(result));
}

function createText(result: string, context: ViewContext): Node[] {
  const alternatives = listAlternatives(context.schema);
  if (alternatives.some(isQuantity)) {
    const name = context.method.endsWith('Balance') ? 'balance' : context.method;
    const { text, note = '' } = describeQuantity(result, name);
    return createHeadline(text, note);
  }
  return alternatives.some(({ title }) => title === 'data')
    ? createReturn(result, context)
    : createHeadline(result);
}

/** Displays the data that a call returned: decoded by the called function, or, if the function is unknown, as text or a number. */
function createReturn(data: string, { params, interfaces }: ViewContext): Node[] {
  const call = isObject(params[0]) ? params[0] : {};
  const calldata = call['input'] ?? call['data'];
  const decoded = interfaces.decodeReturn(calldata, data);
  if (decoded !== undefined) {
    return [...createHeadline(decoded.summary, decoded.item.signature), createDecodedList(decoded.rows)];
  }
  const called = interfaces.decodeCall(calldata)?.item;
  if (data === '0x') {
    const expectsData = called?.outputs !== undefined && called.outputs.length > 0;
    const note = expectsData ? `${called.name} returns data: there may be no contract at this address.` : '';
    return createHeadline('Nothing was returned', note);
  }
  const rows = describeData(data);
  const main = rows.find(({ name }) => name === 'as text') ?? rows.find(({ name }) => name === 'as a number');
  const note = called === undefined ? 'Choose the interface of the contract to decode it.' : '';
  return [...createHeadline(main?.text ?? `${rows[0]?.text} returned`, note), createDecodedList(rows)];
}

function createList(list: readonly unknown[]): Node[] {
  if (list.length === 0) return createHeadline('Empty list');
  const headline = createHeadline(countOf(list.length, 'entry', 'entries'));
  if (!list.every(isObject)) {
    const rows = list.slice(0, 1_000).map((one, i) => {
      const text = typeof one === 'string' ? one : JSON.stringify(one);
      return { name: String(i), ...describeHex(text) };
    });
    return [...headline, createDecodedList(rows)];
  }
  const objects = list as readonly AnswerObject[];
  const names = Object.keys(objects[0] ?? {}).slice(0, 3);
  return [
    ...headline,
    createRows<AnswerObject>({
      caption: 'Entries',
      items: objects,
      columns: names.map((name) => ({ label: name, cell: (one: AnswerObject) => summarize(one[name]) })),
      open: (one) => [createDecodedList(describeFields(one, {}))],
    }),
  ];
}

function summarize(value: unknown): string {
  if (Array.isArray(value)) return countOf(value.length, 'element');
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > 24 ? `${text.slice(0, 16)}…` : text;
}

/** Displays the maximum cost of a transaction if a result has exactly a gas limit, a base fee and a priority fee. */
function describeEstimate(result: AnswerObject): Node[] {
  const { gasLimit, baseFeePerGas, priorityFeePerGas } = result;
  const gas = readHexNumber(gasLimit);
  const [base, priority] = [readHexNumber(baseFeePerGas), readHexNumber(priorityFeePerGas)];
  const isEstimate = Object.keys(result).length === 3;
  if (!isEstimate || gas === undefined || base === undefined || priority === undefined) return [];
  const fee = formatUnits(gas * (base + priority), 18);
  return createHeadline(`${gas.toLocaleString('en')} gas`, `${fee} ether at these fees`);
}
