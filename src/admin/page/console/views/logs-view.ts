import { countOf } from '../../../../util/count-of.ts';
import type { LogData } from '../abi/known-interfaces.ts';
import { describeFields } from '../describe-value.ts';
import { formatHexCell, formatQuantityCell } from './cells.ts';
import { type AnswerObject, listObjects, type ViewContext } from './context.ts';
import { createDecodedList, createHeadline, createPartTitle } from './decoded-list.ts';
import { createRows } from './rows.ts';

/** Displays logs, decoded by the known interfaces. */
export function createLogsView(result: unknown, context: ViewContext): Node[] {
  const logs = listObjects(result);
  const decoded = logs.filter((log) => decodeShownLog(log, context.interfaces) !== undefined).length;
  const note = logs.length === 0 ? 'No log matches.' : `${countOf(decoded, 'log')} decoded`;
  const headline = createHeadline(countOf(logs.length, 'log'), note);
  return logs.length === 0 ? headline : [...headline, createLogRows(logs, context)];
}

/** Creates a table of logs. */
export function createLogRows(logs: readonly AnswerObject[], context: ViewContext): HTMLElement {
  return createRows<AnswerObject>({
    caption: 'Logs',
    items: logs,
    columns: [
      { label: 'Block', kind: 'number', cell: ({ blockNumber }) => formatQuantityCell(blockNumber) },
      { label: 'Log', kind: 'number', cell: ({ logIndex }) => formatQuantityCell(logIndex) },
      { label: 'Contract', kind: 'code', cell: ({ address }) => formatHexCell(address) },
      {
        label: 'Event',
        cell: (log) =>
          decodeShownLog(log, context.interfaces)?.item.name ?? { text: 'unknown', tone: 'quiet' },
      },
      {
        label: 'Values',
        wraps: true,
        cell: (log) => {
          const summary = decodeShownLog(log, context.interfaces)?.summary;
          return summary === undefined
            ? formatHexCell(toLogData(log).topics[0])
            : { text: shortenHexIn(summary), title: summary };
        },
      },
    ],
    open: (log) => {
      const decoded = decodeShownLog(log, context.interfaces);
      const fields = createDecodedList(describeFields(spreadTopics(log), {}));
      if (decoded === undefined) return [fields];
      const { item, rows } = decoded;
      return [
        createPartTitle(item.signature),
        createDecodedList(rows),
        createPartTitle('All fields'),
        fields,
      ];
    },
  });
}

/** Decodes a log of an answer; undefined if no known event fits. */
export function decodeShownLog(
  log: AnswerObject,
  interfaces: ViewContext['interfaces'],
): ReturnType<ViewContext['interfaces']['decodeLog']> {
  return interfaces.decodeLog(toLogData(log));
}

function toLogData({ topics, data }: AnswerObject): LogData {
  const known = Array.isArray(topics) ? topics.filter((topic) => typeof topic === 'string') : [];
  return { topics: known, data: typeof data === 'string' ? data : '0x' };
}

/** Replaces the list of topics by a member for each topic. */
function spreadTopics(log: AnswerObject): AnswerObject {
  const { topics: _, ...rest } = log;
  const topics = toLogData(log).topics.map((topic, i) => [`topics[${i}]`, topic] as const);
  return { ...rest, ...Object.fromEntries(topics) };
}

/** Shortens the addresses and hashes of a line. */
export function shortenHexIn(line: string): string {
  return line.replace(/0x([0-9a-f]{4})[0-9a-f]{8,}([0-9a-f]{4})/gi, '0x$1…$2');
}
