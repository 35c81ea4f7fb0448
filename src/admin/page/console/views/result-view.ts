import { createBlockView } from './block-view.ts';
import type { ViewContext } from './context.ts';
import { createFeeHistoryView } from './fee-history-view.ts';
import { createLogsView } from './logs-view.ts';
import { createPlainView } from './plain-view.ts';
import { createProofView } from './proof-view.ts';
import { createReceiptsView } from './receipts-view.ts';
import { chooseKind, type ResultKind } from './result-kind.ts';
import { createSimulationView } from './simulation-view.ts';
import { createTraceView } from './trace-view.ts';
import { createTransactionsView } from './transactions-view.ts';

const VIEWS: Readonly<Record<ResultKind, (result: unknown, context: ViewContext) => Node[]>> = {
  receipts: createReceiptsView,
  logs: createLogsView,
  block: createBlockView,
  transactions: createTransactionsView,
  simulation: createSimulationView,
  proof: createProofView,
  feeHistory: createFeeHistoryView,
  trace: createTraceView,
  plain: createPlainView,
};

/** Displays a result in the view of its kind. */
export function createResultView(result: unknown, context: ViewContext): Node[] {
  return VIEWS[chooseKind(context.method, result)](result, context);
}
