/** Ponder: indexes a contract's events and its calls (from traces) into its own database, which is queried through its GraphQL. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../support/wait-until.ts';
import { LOGGED_ABI } from './logged-abi.ts';
import { installFromNpm, type Tool, type ToolChain } from './tool.ts';

/** Opening its database alone takes 20 s where other work occupies the cores. */
const READY_MS = 240_000;
/** Pause between two queries, which take processor time from indexing. */
const PAUSE_MS = 500;
const SHOWN_CHARACTERS = 1_500;

const SCHEMA = `import { onchainTable } from 'ponder';
export const logged = onchainTable('logged', (t) => ({
  id: t.text().primaryKey(), value: t.bigint().notNull(), block: t.bigint().notNull(), time: t.bigint().notNull(),
  transaction: t.hex().notNull(), gasUsed: t.bigint().notNull(),
}));
export const called = onchainTable('called', (t) => ({
  id: t.text().primaryKey(), from: t.hex().notNull(), value: t.bigint().notNull(), gasUsed: t.bigint().notNull(),
}));
`;
const HANDLERS = `import { ponder } from 'ponder:registry';
import { called, logged } from 'ponder:schema';
ponder.on('Logger:Logged', async ({ event, context }) => {
  await context.db.insert(logged).values({
    id: event.id, value: event.args.value, block: event.block.number, time: event.block.timestamp,
    transaction: event.transaction.hash, gasUsed: event.transactionReceipt.gasUsed,
  });
});
`;
const TRACE_HANDLER = `ponder.on('Logger.log1()', async ({ event, context }) => {
  await context.db.insert(called).values({
    id: event.id, from: event.trace.from, value: event.args[0], gasUsed: event.trace.gasUsed,
  });
});
`;
const API = `import { Hono } from 'hono';
import { graphql } from 'ponder';
import { db } from 'ponder:api';
import schema from 'ponder:schema';
const app = new Hono();
app.use('/graphql', graphql({ db, schema }));
export default app;
`;
const QUERY = `{
  loggeds(orderBy: "id", limit: 100) { items { id value block time transaction gasUsed } }
  calleds(orderBy: "id", limit: 100) { items { id from value gasUsed } }
}`;

function configOf({ url, chainId, contract, head, hasTraces }: ToolChain): string {
  return `import { createConfig } from 'ponder';
export default createConfig({
  chains: { tested: { id: ${chainId}, rpc: '${url}' } },
  contracts: {
    Logger: {
      chain: 'tested', abi: ${JSON.stringify(LOGGED_ABI)}, address: '${contract}',
      startBlock: 1, endBlock: ${head}, includeCallTraces: ${hasTraces}, includeTransactionReceipts: true,
    },
  },
});
`;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function query(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: QUERY }),
  });
  return answer.text();
}

export const PONDER: Tool = {
  name: 'ponder',
  does: 'events with receipts, and call traces, indexed up to the head',
  nodes: ['anvil', 'geth', 'embedded'],
  install: (folder) => installFromNpm(folder, ['ponder', 'viem', 'hono']),
  async run(chain, folder) {
    const { logs, hasTraces } = chain;
    // Its request cache would answer with responses of the bare node in the run against the service.
    for (const name of ['.ponder', 'generated', 'ponder-env.d.ts'])
      rmSync(join(folder, name), { recursive: true, force: true });
    mkdirSync(join(folder, 'src/api'), { recursive: true });
    writeFileSync(join(folder, 'ponder.config.ts'), configOf(chain));
    writeFileSync(join(folder, 'ponder.schema.ts'), SCHEMA);
    writeFileSync(join(folder, 'src/index.ts'), hasTraces ? `${HANDLERS}${TRACE_HANDLER}` : HANDLERS);
    writeFileSync(join(folder, 'src/api/index.ts'), API);
    const port = await findFreePort();
    const { NODE_OPTIONS: _, ...environment } = process.env;
    const program = join(folder, 'node_modules/ponder/dist/esm/bin/ponder.js');
    const args = [program, 'start', '--schema', 'tested', '--hostname', '127.0.0.1', '--port', String(port)];
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: { ...environment, PONDER_TELEMETRY_DISABLED: 'true' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    let text = '';
    const keep = (chunk: Buffer): void => {
      printed = `${printed}${chunk}`.slice(-SHOWN_CHARACTERS);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const exited = once(child, 'exit');
    const end = (): void => void child.kill('SIGKILL');
    process.once('exit', end);
    try {
      await waitUntil(async () => {
        if (child.exitCode !== null) throw new Error(`ponder ended with ${child.exitCode}: ${printed}`);
        await sleep(PAUSE_MS);
        // Blocks above the finalized one follow after it reports that it is ready.
        text = await query(port).catch(() => '');
        return text.split('"gasUsed"').length > (hasTraces ? 2 : 1) * logs;
      }, READY_MS).catch((error: Error) => {
        throw new Error(
          `ponder has not indexed ${logs} logs and calls: ${text}\n${error.message}\n${printed}`,
        );
      });
      return text.replaceAll('},', '},\n');
    } finally {
      process.off('exit', end);
      end();
      await exited;
    }
  },
};
