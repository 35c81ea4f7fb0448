/** Table of supported live operations by client, from running each of them. */
import {
  type LivePreparation,
  prepareAlloyLive,
  prepareCastLive,
  prepareEthclientLive,
  prepareWeb3PyLive,
} from '../client-programs.ts';
import { runEthersLive, runViemLive, runWeb3Live } from './javascript-live.ts';
import { judgeLive, LIVE_OPERATIONS, type LiveOperation } from './live-operations.ts';
import { LiveStage } from './live-stage.ts';

export type LiveClient = {
  readonly name: string;
  readonly prepare: LivePreparation;
  /** Whether the client is one of the project's own dependencies. */
  readonly isAtHand?: boolean;
};

export const LIVE_CLIENTS: readonly LiveClient[] = [
  { name: 'ethers 6', prepare: async () => runEthersLive, isAtHand: true },
  { name: 'viem', prepare: async () => runViemLive, isAtHand: true },
  { name: 'web3.js 4', prepare: async () => runWeb3Live, isAtHand: true },
  { name: 'cast', prepare: prepareCastLive, isAtHand: true },
  { name: 'web3.py 7', prepare: prepareWeb3PyLive },
  { name: 'ethclient', prepare: prepareEthclientLive },
  { name: 'alloy', prepare: prepareAlloyLive },
];

/** Result of one client: the reason why it was not run, or its successful operations and its faults. */
export type LiveRow = {
  readonly name: string;
  readonly absence?: string;
  readonly done: ReadonlySet<LiveOperation>;
  readonly faults: readonly string[];
};

/** Runs these clients one after another on a chain that grows. */
export async function findLiveMatrix(
  clients: readonly LiveClient[],
  onRow: (row: LiveRow) => void,
): Promise<readonly LiveRow[]> {
  const stage = await LiveStage.open();
  const rows: LiveRow[] = [];
  try {
    for (const client of clients) {
      const row = await findRow(client, stage);
      onRow(row);
      rows.push(row);
    }
  } finally {
    await stage.close();
  }
  return rows;
}

async function findRow({ name, prepare }: LiveClient, stage: LiveStage): Promise<LiveRow> {
  const runner = await prepare();
  if (typeof runner === 'string') return { name, absence: runner, done: new Set(), faults: [] };
  const subject = stage.createSubject();
  const findings = await runner(subject);
  const done = new Set<LiveOperation>();
  const faults: string[] = [];
  for (const operation of LIVE_OPERATIONS) {
    const finding = findings[operation];
    if (finding === undefined) continue;
    const fault =
      typeof finding === 'string' ? await judgeLive(operation, finding, stage.anvil, subject) : finding.error;
    if (fault === undefined) done.add(operation);
    else faults.push(`${operation}: ${fault.slice(0, 300)}`);
  }
  return { name, done, faults };
}

/** Renders the table of clients by operation in the documentation. */
export function renderLiveMatrix(rows: readonly LiveRow[]): string {
  const shown = rows.filter(({ absence }) => absence === undefined);
  const head = `| operation | ${shown.map(({ name }) => name).join(' | ')} |`;
  const line = `|---|${shown.map(() => '---|').join('')}`;
  const body = LIVE_OPERATIONS.map(
    (operation) =>
      `| ${operation} | ${shown.map(({ done }) => (done.has(operation) ? 'yes' : '-')).join(' | ')} |`,
  );
  return [head, line, ...body].join('\n');
}
