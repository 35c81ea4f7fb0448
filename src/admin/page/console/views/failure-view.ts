import type { KnownInterfaces } from '../abi/known-interfaces.ts';
import { describeHex, type FieldRow } from '../describe-value.ts';
import type { RpcFailure } from '../outcome.ts';
import { createDecodedList, createHeadline, createPartTitle } from './decoded-list.ts';

/** Description of a JSON-RPC error, and of the revert data in it. */
type FailureFacts = {
  readonly headline: string;
  readonly rows: readonly FieldRow[];
  /** Arguments of a decoded error. */
  readonly argumentRows: readonly FieldRow[];
};

/** Displays a JSON-RPC error with its decoded revert reason. */
export function createFailureView(failure: RpcFailure, interfaces: KnownInterfaces): Node[] {
  const { headline, rows, argumentRows } = describeRpcFailure(failure, interfaces);
  return [
    ...createHeadline(`✕ ${headline}`, '', 'bad'),
    createDecodedList(rows),
    ...(argumentRows.length === 0
      ? []
      : [createPartTitle('Arguments of the error'), createDecodedList(argumentRows)]),
  ];
}

/** Describes a JSON-RPC error, with the revert reason if its data is revert data. */
export function describeRpcFailure(failure: RpcFailure, interfaces: KnownInterfaces): FailureFacts {
  const { code, message } = failure;
  const rows: FieldRow[] = [{ name: 'code', text: String(code) }];
  const data = findRevertData(failure.data);
  if (data === undefined) {
    if (failure.data !== undefined) rows.push({ name: 'data', text: JSON.stringify(failure.data) });
    return { headline: String(message), rows, argumentRows: [] };
  }
  const { kind, text, rows: argumentRows = [] } = interfaces.decodeRevert(data);
  rows.push({ name: kind, text });
  if (kind === 'custom error' || argumentRows.length > 0) rows.push({ name: 'data', ...describeHex(data) });
  return {
    headline: message === undefined || message === '' ? 'reverted' : String(message),
    rows,
    argumentRows,
  };
}

/** Returns revert data: some nodes put it into an object. */
function findRevertData(data: unknown): string | undefined {
  const inner = typeof data === 'object' && data !== null ? (data as { data?: unknown }).data : data;
  return typeof inner === 'string' && /^0x([0-9a-f]{2})*$/i.test(inner) ? inner : undefined;
}
