/** Table of supported operations by client and network, from running each of them. */
import {
  SOURCES,
  type Source,
  serveByDefault,
  TRANSPORTS,
  type Transport,
  urlOf,
} from '../support/development.ts';
import {
  type Preparation,
  prepareAlloy,
  prepareCast,
  prepareEthclient,
  prepareWeb3Py,
} from './client-programs.ts';
import { prepareAnvilFork, prepareHardhatFork } from './forks.ts';
import { runEthers, runViem, runWeb3 } from './javascript-clients.ts';
import { type Findings, findSubject, OPERATIONS, type Operation, readExpectations } from './operations.ts';

type Client = {
  readonly name: string;
  readonly prepare: Preparation;
  /** Whether the client is one of the project's own dependencies. */
  readonly isAtHand?: boolean;
  readonly transports: readonly Transport[];
};

export const CLIENTS: readonly Client[] = [
  { name: 'ethers 6', prepare: async () => runEthers, isAtHand: true, transports: TRANSPORTS },
  { name: 'viem', prepare: async () => runViem, isAtHand: true, transports: TRANSPORTS },
  { name: 'web3.js 4', prepare: async () => runWeb3, isAtHand: true, transports: TRANSPORTS },
  { name: 'cast', prepare: prepareCast, isAtHand: true, transports: TRANSPORTS },
  { name: 'web3.py 7', prepare: prepareWeb3Py, transports: TRANSPORTS },
  { name: 'ethclient', prepare: prepareEthclient, transports: TRANSPORTS },
  { name: 'alloy', prepare: prepareAlloy, transports: TRANSPORTS },
  { name: 'anvil --fork-url', prepare: prepareAnvilFork, isAtHand: true, transports: TRANSPORTS },
  { name: 'hardhat fork', prepare: prepareHardhatFork, transports: ['HTTP'] },
];

/** Result of one client: the reason why it was not run, or its faults by kind of network, transport and operation. */
export type Row = {
  readonly name: string;
  readonly absence?: string;
  /** Operations that succeed on every kind of network and over every transport. */
  readonly done: ReadonlySet<Operation>;
  /** `embedded HTTP balance: <finding>` */
  readonly faults: readonly string[];
};

/** Runs these clients one after another against the built-in networks. */
export async function findMatrix(
  clients: readonly Client[],
  onRow: (row: Row) => void,
): Promise<readonly Row[]> {
  const services = new Map<Source, Awaited<ReturnType<typeof serveByDefault>>>();
  try {
    for (const source of SOURCES) services.set(source, await serveByDefault('devnet', source));
    const rows: Row[] = [];
    for (const client of clients) {
      const row = await findRow(client, (source, transport) => {
        const service = services.get(source);
        if (service === undefined) throw new Error('not served');
        return urlOf(service, transport);
      });
      onRow(row);
      rows.push(row);
    }
    return rows;
  } finally {
    for (const service of services.values()) await service.close();
  }
}

async function findRow(
  client: Client,
  urlFor: (source: Source, transport: Transport) => string,
): Promise<Row> {
  const { name, transports } = client;
  const runner = await client.prepare();
  if (typeof runner === 'string') return { name, absence: runner, done: new Set(), faults: [] };
  const raw = urlFor('embedded', 'HTTP');
  const subject = await findSubject(raw);
  const expected = await readExpectations(raw, subject);
  const faults: string[] = [];
  const done = new Set<Operation>();
  const failed = new Set<Operation>();
  for (const source of SOURCES) {
    for (const transport of transports) {
      const findings: Findings = await runner(urlFor(source, transport), subject);
      for (const operation of OPERATIONS) {
        const finding = findings[operation];
        if (finding === undefined) continue;
        if (finding === expected[operation].toLowerCase()) done.add(operation);
        else {
          failed.add(operation);
          const found =
            typeof finding === 'string' ? `${finding}, not ${expected[operation]}` : finding.error;
          faults.push(`${source} ${transport} ${operation}: ${found.slice(0, 200)}`);
        }
      }
    }
  }
  for (const operation of failed) done.delete(operation);
  return { name, done, faults };
}

/** Renders the table of clients by operation in the documentation. */
export function renderMatrix(rows: readonly Row[]): string {
  const shown = rows.filter(({ absence }) => absence === undefined);
  const head = `| operation | ${shown.map(({ name }) => name).join(' | ')} |`;
  const line = `|---|${shown.map(() => '---|').join('')}`;
  const body = OPERATIONS.map(
    (operation) =>
      `| ${operation} | ${shown.map(({ done }) => (done.has(operation) ? 'yes' : '-')).join(' | ')} |`,
  );
  return [head, line, ...body].join('\n');
}
