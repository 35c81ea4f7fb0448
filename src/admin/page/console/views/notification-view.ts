import { countOf } from '../../../../util/count-of.ts';
import { shortenMiddle } from '../../format.ts';
import type { KnownInterfaces } from '../abi/known-interfaces.ts';
import type { SentRequest } from '../sent-request.ts';
import { formatBlockTime, formatQuantityCell } from './cells.ts';
import { type AnswerObject, isObject } from './context.ts';
import { createLogRows, decodeShownLog, shortenHexIn } from './logs-view.ts';
import { chooseKind } from './result-kind.ts';
import { createResultView } from './result-view.ts';

/** Describes a notification in one line: the block, the event, the receipts or the transaction. */
export function describeNotification(result: unknown, interfaces: KnownInterfaces): string {
  if (Array.isArray(result)) return countOf(result.length, 'receipt');
  if (!isObject(result)) return String(result);
  const removed = result['removed'] === true ? 'removed: ' : '';
  if (Array.isArray(result['topics'])) return `${removed}${describeLog(result, interfaces)}`;
  const hash = typeof result['hash'] === 'string' ? shortenMiddle(result['hash']) : '';
  if (chooseKind('', result) === 'transactions') return `Transaction ${hash}`;
  const time = formatBlockTime(result['timestamp']);
  return `${removed}Block ${formatQuantityCell(result['number'])}  ${hash}${time === '' ? '' : `, ${time}`}`;
}

/** Displays a notification by its kind. */
export function createNotificationView(
  result: unknown,
  { params }: SentRequest,
  interfaces: KnownInterfaces,
): Node[] {
  const context = { method: 'eth_subscription', params, schema: {}, interfaces };
  if (isObject(result) && Array.isArray(result['topics'])) return [createLogRows([result], context)];
  return createResultView(result, context);
}

function describeLog(log: AnswerObject, interfaces: KnownInterfaces): string {
  const { item, summary } = decodeShownLog(log, interfaces) ?? {};
  const event = item === undefined ? 'unknown event' : `${item.name}(${shortenHexIn(summary ?? '')})`;
  const block = log['blockNumber'];
  return block === undefined ? event : `${event} in block ${formatQuantityCell(block)}`;
}
