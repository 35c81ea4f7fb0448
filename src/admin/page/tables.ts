import type { ErrorEntry, KeyStatus, ProcessStatus } from '../../observe/status.ts';
import { formatBytes, formatCount, formatMs, formatSpan, formatTime } from './format.ts';
import { type Cell, Table } from './table.ts';

export function createUsageTable(): Table<KeyStatus> {
  return new Table<KeyStatus>({
    caption: 'Usage by key',
    keyOf: ({ id }) => id,
    empty: 'No key has been used since the start.',
    columns: [
      { label: 'Key', cell: ({ name, id }) => ({ text: name === '' ? id : name, title: id }) },
      { label: 'Id', kind: 'code', cell: ({ id }) => ({ text: id, tone: 'quiet' }) },
      { label: 'Calls', kind: 'number', cell: ({ calls }) => formatCount(calls) },
      { label: 'Credits', kind: 'number', cell: ({ credits }) => formatCount(credits) },
      {
        label: 'Limited',
        kind: 'number',
        cell: ({ limited }) => ({
          text: formatCount(limited),
          ...(limited > 0 && { tone: 'warn' as const }),
        }),
      },
    ],
  });
}

export function createErrorTable(): Table<ErrorEntry> {
  return new Table<ErrorEntry>({
    caption: 'Errors',
    keyOf: ({ network, method, error }, position) => `${position} ${network} ${method} ${error}`,
    empty: 'No service or node errors.',
    columns: [
      { label: 'Last', cell: ({ at }) => formatTime(at) },
      { label: 'Network', cell: ({ network }) => network },
      { label: 'Method', kind: 'code', cell: ({ method }) => method },
      { label: 'Error', cell: ({ error }) => error },
      { label: 'Times', kind: 'number', cell: ({ count }) => formatCount(count) },
    ],
  });
}

/** Status of a process, and the time of that status, Unix ms. */
export type ProcessView = { readonly process: ProcessStatus; readonly at: number };

export function createProcessTable(): Table<ProcessView> {
  return new Table<ProcessView>({
    caption: 'Processes',
    keyOf: ({ process }) => String(process.pid),
    empty: 'None.',
    columns: [
      { label: 'Process', kind: 'code', cell: ({ process }) => String(process.pid) },
      { label: 'State', cell: describeProcess },
      { label: 'Running', kind: 'number', cell: ({ process, at }) => formatSpan(at - process.startedAt) },
      { label: 'Connections', kind: 'number', cell: ({ process }) => formatCount(process.connections) },
      { label: 'WebSockets', kind: 'number', cell: ({ process }) => formatCount(process.webSockets) },
      { label: 'In progress', kind: 'number', cell: ({ process }) => formatCount(process.inFlight) },
      { label: 'Waiting', kind: 'number', cell: ({ process }) => formatCount(process.queued) },
      { label: 'Event-loop delay', kind: 'number', cell: ({ process }) => formatMs(process.eventLoopDelay) },
      { label: 'Memory', kind: 'number', cell: ({ process }) => formatBytes(process.residentBytes) },
      { label: 'Heap', kind: 'number', cell: ({ process }) => formatBytes(process.heapBytes) },
    ],
  });
}

function describeProcess({ process }: ProcessView): Cell {
  return process.isDraining ? { text: '↓ draining', tone: 'warn' } : { text: '● serving', tone: 'ok' };
}
