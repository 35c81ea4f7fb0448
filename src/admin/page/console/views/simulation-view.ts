import { countOf } from '../../../../util/count-of.ts';
import { element } from '../../dom.ts';
import type { Cell } from '../../table.ts';
import { describeFields, describeHex, type FieldRow } from '../describe-value.ts';
import { formatBlockTime, formatQuantityCell, sumQuantities } from './cells.ts';
import { type AnswerObject, isObject, listObjects, type ViewContext } from './context.ts';
import { createDecodedList, createHeadline, createPartTitle } from './decoded-list.ts';
import { describeRpcFailure } from './failure-view.ts';
import { createLogRows } from './logs-view.ts';
import { createRows } from './rows.ts';

/** Outcome of a simulated call, and the calldata of the call. */
type SimulatedCall = { readonly outcome: AnswerObject; readonly calldata: unknown };

/** Displays the result of `eth_simulateV1`: each block with its calls. */
export function createSimulationView(result: unknown, context: ViewContext): Node[] {
  const blocks = listObjects(result);
  const calls = pairCalls(blocks, context);
  const all = calls.flat();
  const failed = all.filter(({ outcome }) => outcome['status'] !== '0x1').length;
  const gas = sumQuantities(all.map(({ outcome }) => outcome['gasUsed']));
  return [
    ...createHeadline(
      `${countOf(all.length, 'simulated call')} in ${countOf(blocks.length, 'block')}`,
      `${countOf(failed, 'failed call')}, ${gas.toLocaleString('en')} gas`,
      failed === all.length && failed > 0 ? 'bad' : '',
    ),
    ...blocks.flatMap((block, i) => createBlock(block, calls[i] ?? [], context)),
  ];
}

function createBlock(block: AnswerObject, calls: readonly SimulatedCall[], context: ViewContext): Node[] {
  const { calls: _, ...header } = block;
  const time = formatBlockTime(block['timestamp']);
  const title = createPartTitle(
    `Block ${formatQuantityCell(block['number'])}${time === '' ? '' : `, ${time}`}`,
  );
  return [
    title,
    ...(calls.length === 0 ? [] : [createCallRows(calls, context)]),
    element(
      'details',
      {},
      element('summary', {}, 'Header of the simulated block'),
      createDecodedList(describeFields(header, {})),
    ),
  ];
}

function createCallRows(calls: readonly SimulatedCall[], context: ViewContext): HTMLElement {
  const positions = new Map(calls.map((call, i) => [call, i]));
  return createRows<SimulatedCall>({
    caption: 'Simulated calls',
    items: calls,
    columns: [
      { label: 'Call', kind: 'number', cell: (call) => String(positions.get(call)) },
      { label: 'Status', cell: ({ outcome }) => describeStatus(outcome) },
      {
        label: 'Function',
        cell: ({ calldata }) =>
          context.interfaces.decodeCall(calldata)?.item.name ?? { text: 'unknown', tone: 'quiet' },
      },
      { label: 'Result', kind: 'code', cell: (call) => summarizeCall(call, context) },
      { label: 'Gas used', kind: 'number', cell: ({ outcome }) => formatQuantityCell(outcome['gasUsed']) },
      { label: 'Logs', kind: 'number', cell: ({ outcome }) => String(listObjects(outcome['logs']).length) },
    ],
    open: (call) => openCall(call, context),
  });
}

function describeStatus({ status }: AnswerObject): Cell {
  return status === '0x1' ? { text: '✓ success', tone: 'ok' } : { text: '✕ failed', tone: 'bad' };
}

function summarizeCall({ outcome, calldata }: SimulatedCall, context: ViewContext): Cell {
  const { error, returnData } = outcome;
  if (isObject(error)) {
    const [reason] = describeRpcFailure(error, context.interfaces).rows.filter(({ name }) => name !== 'code');
    return { text: reason?.text ?? String(error['message']), tone: 'bad' };
  }
  const returned = context.interfaces.decodeReturn(calldata, returnData)?.summary;
  const text = returned ?? String(returnData ?? '0x');
  return { text: text.length > 40 ? `${text.slice(0, 40)}…` : text };
}

function openCall({ outcome, calldata }: SimulatedCall, { interfaces, ...rest }: ViewContext): Node[] {
  const { logs, error, ...facts } = outcome;
  const call = interfaces.decodeCall(calldata);
  const returned = interfaces.decodeReturn(calldata, outcome['returnData']);
  const known = listObjects(logs);
  const fields: readonly FieldRow[] = describeFields(facts, {});
  const sent = typeof calldata === 'string' ? [{ name: 'calldata', ...describeHex(calldata) }] : [];
  return [
    ...createPart(call?.item.signature, call?.rows),
    ...createPart('Returned', returned?.rows),
    ...createPart('Error', isObject(error) ? describeRpcFailure(error, interfaces).rows : undefined),
    ...createPart('All fields', [...sent, ...fields]),
    ...(known.length === 0 ? [] : [createPartTitle('Logs'), createLogRows(known, { interfaces, ...rest })]),
  ];
}

function createPart(title: string | undefined, rows: readonly FieldRow[] | undefined): Node[] {
  return title === undefined || rows === undefined ? [] : [createPartTitle(title), createDecodedList(rows)];
}

/**
 * Pairs the outcomes of each block with the calls of the request. Nodes fill gaps between requested block numbers with blocks without calls, so only
 * blocks with calls are paired.
 */
function pairCalls(
  blocks: readonly AnswerObject[],
  { params }: ViewContext,
): readonly (readonly SimulatedCall[])[] {
  const simulation = isObject(params[0]) ? params[0] : {};
  const requested = listObjects(simulation['blockStateCalls'])
    .map(({ calls }) => listObjects(calls))
    .filter((calls) => calls.length > 0)
    .values();
  return blocks.map(({ calls }) => {
    const outcomes = listObjects(calls);
    const sent = outcomes.length === 0 ? [] : (requested.next().value ?? []);
    return outcomes.map((outcome, i) => ({ outcome, calldata: sent[i]?.['input'] ?? sent[i]?.['data'] }));
  });
}
