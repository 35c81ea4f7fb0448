/**
 * CPU time of a request through the program as a user starts it, in front of nodes with a moving head, beside nginx and a minimal proxy that only
 * pass bytes on, and beside another version where ROOT_B names its built checkout. ROWS selects rows of `support/proxy/rows.ts` by substrings of
 * their names (`chain id;batch`). Each runs ROUNDS (5) rounds of ROUND_MS (1500) after a warm-up round, servers interleaved. With SHARED=1 the
 * versions share limits and heights in a Valkey or Redis server, as replicas do. Then some rows run at fixed rates in rounds of OPEN_MS (5000),
 * latency from when a request was due, again interleaved. Then one row runs for STEADY_MS (60000), which measures stalls and the memory after it,
 * with embedded networks as well.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MAIN } from '../scripts/program-files.ts';
import { makeTemporaryFolder } from '../test/support/embedded.ts';
import { type RedisServer, startRedis } from '../test/support/redis.ts';
import { runAsChild } from './child.ts';
import { runLoad } from './load.ts';
import { CAN_PIN, LOAD_CORE, NO_PIN_NOTE, pinSelf, SERVER_CORE } from './support/cpu.ts';
import { readFileMegabytes, readResidentMegabytes } from './support/memory.ts';
import { serveBareProxy } from './support/proxy/bare-proxy.ts';
import { compareAnswers } from './support/proxy/compare-answers.ts';
import { concludeWithGoals, type Goal, judgeRows, OTHER, OURS } from './support/proxy/goals.ts';
import { measureRound, measureRows } from './support/proxy/measure.ts';
import { NO_NGINX_NOTE, startNginx } from './support/proxy/nginx.ts';
import { Nodes } from './support/proxy/nodes.ts';
import { formatOpenLoop, judgeOpenLoop, measureOpenLoop } from './support/proxy/open-loop.ts';
import { EMBEDDED_NETWORK, startProgram } from './support/proxy/program.ts';
import { planLoad, ROWS, type Row, type Target } from './support/proxy/rows.ts';
import { runSteadily } from './support/proxy/steady.ts';
import { type Subject, startBare } from './support/proxy/subject.ts';
import { formatTable, formatVersions } from './support/proxy/table.ts';

const STEADY_MS = Number(process.env['STEADY_MS'] ?? 60_000);
const ONLY = (process.env['ROWS'] ?? '').split(';');
const OTHER_ROOT = process.env['ROOT_B'];
const NODES = 3;
const RESIDENT_GOALS = { nodes: 120, embedded: 180 } as const;

const [STEADY_ROW] = ROWS as readonly [Row];
const EMBEDDED_ROW: Row = {
  name: 'call of the embedded network',
  isWebSocket: false,
  upstreams: 1,
  network: EMBEDDED_NETWORK,
  connections: 16,
  body: '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["latest",true]}',
};

function findOther(root: string): string {
  const main = join(root, 'build/program/cli/main.js');
  if (!existsSync(main)) throw new Error(`${main}: no built checkout; ROOT_B is the folder of one`);
  return main;
}

function judgeMemory({ pid }: Subject, name: string, atMost: number): Goal {
  const value = readResidentMegabytes(pid);
  console.log(
    `${name}: ${value.toFixed(0)} MB, of which ${readFileMegabytes(pid).toFixed(0)} are pages of files`,
  );
  return { name, value, atMost, unit: ' MB' };
}

/** Returns the memory after a round of each row and STEADY_MS of load, where the program also executes a chain. */
async function measureEmbedded(nodes: Nodes, folder: string, rows: readonly Row[]): Promise<Goal> {
  const program = await startProgram({
    name: OURS,
    main: MAIN,
    folder,
    nodes: nodes.urls,
    hasEmbedded: true,
  });
  try {
    for (const row of [...rows, EMBEDDED_ROW]) {
      await measureRound(program, row, program.targetOf(row) as Target, nodes);
    }
    const target = program.targetOf(STEADY_ROW) as Target;
    await runLoad(planLoad(STEADY_ROW, target, STEADY_MS));
    await program.readMetrics();
    return judgeMemory(program, 'RSS with an embedded network', RESIDENT_GOALS.embedded);
  } finally {
    await program.stop();
  }
}

async function measure(
  nodes: Nodes,
  folder: string,
  started: Subject[],
  redis: RedisServer | undefined,
): Promise<readonly Goal[]> {
  const other = OTHER_ROOT === undefined ? undefined : findOther(OTHER_ROOT);
  const add = <S extends Subject>(subject: S): S => {
    started.push(subject);
    return subject;
  };
  const nginx = await startNginx(folder, nodes.ports);
  if (nginx === undefined) console.error(NO_NGINX_NOTE);
  else add(nginx);
  add(await startBare(import.meta.url, nodes.urls[0] as string));
  const shared = {
    nodes: nodes.urls,
    ...(redis !== undefined && { shared: `redis://127.0.0.1:${redis.port}` }),
  };
  if (other !== undefined) {
    add(await startProgram({ ...shared, name: OTHER, main: other, folder: join(folder, 'other') }));
  }
  const program = add(
    await startProgram({ ...shared, name: OURS, main: MAIN, folder: join(folder, 'ours') }),
  );
  const rows = ROWS.filter(({ name }) => ONLY.some((text) => name.includes(text)));
  await compareAnswers(started, rows);
  const measured = await measureRows(started, rows, nodes);
  console.log(formatTable(measured));
  const versions = formatVersions(measured);
  if (versions !== undefined) console.log(`\n${versions}`);
  const open = await measureOpenLoop(started, measured);
  if (open.length > 0) console.log(`\n${formatOpenLoop(open)}`);
  const goals = [...judgeRows(measured), ...judgeOpenLoop(open)];
  if (STEADY_MS > 0) {
    console.log();
    goals.push(...(await runSteadily(program, STEADY_ROW, STEADY_MS)));
    goals.push(judgeMemory(program, 'RSS after all rows', RESIDENT_GOALS.nodes));
    goals.push(await measureEmbedded(nodes, join(folder, 'embedded'), rows));
  }
  return goals;
}

async function runParent(): Promise<void> {
  if (!CAN_PIN) console.error(NO_PIN_NOTE);
  pinSelf(LOAD_CORE);
  const folder = makeTemporaryFolder();
  const redis = process.env['SHARED'] === '1' ? await startRedis() : undefined;
  const nodes = await Nodes.start(NODES);
  const started: Subject[] = [];
  try {
    const goals = await measure(nodes, folder.path, started, redis);
    console.log();
    concludeWithGoals(goals);
  } finally {
    for (const { stop } of started) await stop();
    await redis?.close();
    nodes.stop();
    folder.remove();
  }
}

/** Runs the child's side: `bare <address of the node>`. */
function serveBare(subject: string): Promise<number> {
  pinSelf(SERVER_CORE);
  return serveBareProxy(subject.slice('bare '.length));
}

const subject = process.argv[2];
await (subject === undefined ? runParent() : runAsChild(() => serveBare(subject)));
