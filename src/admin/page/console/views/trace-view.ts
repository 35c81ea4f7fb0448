import { countOf } from '../../../../util/count-of.ts';
import { element } from '../../dom.ts';
import { shortenMiddle } from '../../format.ts';
import { describeHex, type FieldRow } from '../describe-value.ts';
import { formatQuantityCell, formatWei, readHexNumber } from './cells.ts';
import { type AnswerObject, isObject, listObjects, type ViewContext } from './context.ts';
import { createDecodedList, createHeadline, createPartTitle } from './decoded-list.ts';
import { createLogRows, shortenHexIn } from './logs-view.ts';

/** Maximum displayed frames; the JSON text has all of them. */
const MAX_FRAMES = 1_000;
/** Frames down to this depth are open at first. */
const OPEN_DEPTH = 3;

/** Displays frames of geth's `callTracer` as a tree: of one transaction, or of each transaction of a block. */
export function createTraceView(result: unknown, context: ViewContext): Node[] {
  const traces = Array.isArray(result) ? listObjects(result) : [result as AnswerObject];
  const count = traces.reduce((total, trace) => total + countFrames(readFrame(trace)), 0);
  const budget = { left: MAX_FRAMES };
  const [only] = traces;
  const failed = traces.filter((trace) => readFrame(trace)['error'] !== undefined).length;
  const gas = formatQuantityCell(only === undefined ? undefined : readFrame(only)['gasUsed']);
  const what = traces.length === 1 ? `${gas} gas` : countOf(traces.length, 'transaction');
  return [
    ...createHeadline(
      `${countOf(count, 'call frame')}, ${what}`,
      failed === 0 ? '' : `${countOf(failed, 'failed transaction')}`,
      failed === 0 ? '' : 'bad',
    ),
    ...traces.flatMap((trace) => {
      const hash = trace['txHash'];
      const tree = element('ul', { class: 'trace' }, createFrame(readFrame(trace), context, 0, budget));
      return typeof hash === 'string' ? [createPartTitle(`Transaction ${hash}`), tree] : [tree];
    }),
    ...(count > MAX_FRAMES
      ? [element('p', { class: 'empty' }, `… and ${countOf(count - MAX_FRAMES, 'more frame')}`)]
      : []),
  ];
}

/** Returns the outermost frame; traces of blocks contain it in `result`. */
function readFrame(trace: AnswerObject): AnswerObject {
  return isObject(trace['result']) ? trace['result'] : trace;
}

function countFrames(frame: AnswerObject): number {
  let count = 0;
  for (const frames = [frame]; frames.length > 0; count++)
    frames.push(...listObjects(frames.pop()?.['calls']));
  return count;
}

function createFrame(
  frame: AnswerObject,
  context: ViewContext,
  depth: number,
  budget: { left: number },
): HTMLElement {
  budget.left--;
  const { type, to, input, error, gasUsed, value } = frame;
  const call = context.interfaces.decodeCall(input);
  const target = typeof to === 'string' ? shortenMiddle(to, 6, 4) : 'new contract';
  const selector = typeof input === 'string' && input !== '0x' ? input.slice(0, 10) : '';
  const isCreation = String(type).startsWith('CREATE');
  const name = isCreation
    ? 'init code'
    : ((call && `${call.item.name}(${shortenCall(call.summary)})`) ?? selector);
  const wei = readHexNumber(value);
  const line = element('summary', {}, element('span', { class: 'pill' }, String(type)), ` ${target} `);
  line.append(
    element('code', {}, name),
    ' ',
    element('span', { class: 'quiet' }, `${formatQuantityCell(gasUsed)} gas`),
  );
  if (wei !== undefined && wei > 0n) line.append(` ${formatWei(value, 'ether')}`);
  if (error !== undefined) line.append(' ', element('span', { class: 'bad' }, `✕ ${String(error)}`));
  const details = element('details', depth < OPEN_DEPTH ? { open: '' } : {}, line);
  details.append(
    element(
      'details',
      { class: 'frame' },
      element('summary', {}, 'Fields'),
      ...describeFrame(frame, context),
    ),
  );
  const inner = element('ul', { class: 'trace' });
  for (const child of listObjects(frame['calls'])) {
    if (budget.left > 0) inner.append(createFrame(child, context, depth + 1, budget));
  }
  if (inner.childElementCount > 0) details.append(inner);
  return element('li', {}, details);
}

function describeFrame(frame: AnswerObject, context: ViewContext): Node[] {
  const { from, to, value, gas, gasUsed, input, output, error, revertReason, logs } = frame;
  const { interfaces } = context;
  const call = interfaces.decodeCall(input);
  const returned = interfaces.decodeReturn(input, output);
  const revert =
    error !== undefined && typeof output === 'string' ? interfaces.decodeRevert(output) : undefined;
  const known = listObjects(logs);
  const rows: readonly FieldRow[] = [
    ...describeText('from', from),
    ...describeText('to', to),
    ...(value === undefined ? [] : [{ name: 'value', text: formatWei(value, 'ether') }]),
    ...(gas === undefined ? [] : [{ name: 'gas', text: formatQuantityCell(gas) }]),
    { name: 'gasUsed', text: formatQuantityCell(gasUsed) },
    ...describeText('error', error),
    ...describeText('revertReason', revertReason),
    ...describeText('input', input),
    ...describeText('output', output),
  ];
  return [
    ...(call === undefined ? [] : [createPartTitle(call.item.signature), createDecodedList(call.rows)]),
    ...(returned === undefined || error !== undefined
      ? []
      : [createPartTitle('Returned'), createDecodedList(returned.rows)]),
    ...(revert === undefined
      ? []
      : [
          createPartTitle('Reverted'),
          createDecodedList([{ name: revert.kind, text: revert.text }, ...(revert.rows ?? [])]),
        ]),
    createPartTitle('All fields'),
    createDecodedList(rows),
    ...(known.length === 0 ? [] : [createPartTitle('Logs'), createLogRows(known, context)]),
  ];
}

function describeText(name: string, value: unknown): readonly FieldRow[] {
  return value === undefined ? [] : [{ name, ...describeHex(String(value)) }];
}

/** Shortens addresses and hashes, and then the line. */
function shortenCall(line: string): string {
  const text = shortenHexIn(line);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
