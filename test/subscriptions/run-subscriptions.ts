/**
 * `npm run check -- subscriptions`: subscribers through the shipped program (two workers) while everything else is disturbed. Three geth nodes follow one chain,
 * which this process makes with branches and delivers through the engine API, as a consensus client does: so each reorg is known to the block, and geth has
 * checked every state and receipt root. Two announce their heads, one is polled. Nodes lag, follow another branch, are stopped (SIGSTOP), killed, and
 * replaced by empty ones; connections are cut at any byte; workers are killed, the service is restarted and killed, its nodes are reconfigured; with
 * replicas, the server that they share is stopped, killed and emptied. 200 subscribers of ethers, viem and bare WebSockets resume by `afterHash`. Nine
 * filters over HTTP are polled by any worker and replica. At the end the notifications of each one, applied in order, must equal the chain and its logs.
 * Options: `--disturbances 1000`, `--seed N`, `--subscribers 50` (on each of four connections), `--replicas 1` (two or more share a Valkey or Redis server),
 * `--pause 300` (average milliseconds between two disturbances), `--nodes geth|scripted` (scripted nodes run in this process, without geth). The exit code is
 * 1 when a notification was lost, doubled, out of order, not removed, or a subscription could not resume.
 */
import { parseArgs } from 'node:util';
import { GETH_SKIP } from '../geth/node/geth-program.ts';
import { runDisturbances } from './run.ts';
import type { NodeKind } from './service.ts';

const { values } = parseArgs({
  options: {
    disturbances: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    subscribers: { type: 'string', default: '50' },
    replicas: { type: 'string', default: '1' },
    pause: { type: 'string', default: '300' },
    nodes: { type: 'string', default: GETH_SKIP === false ? 'geth' : 'scripted' },
  },
});
if (values.nodes !== 'geth' && values.nodes !== 'scripted') throw new Error('--nodes is geth or scripted');
if (values.nodes === 'scripted' && GETH_SKIP !== false) console.log(`scripted nodes: ${GETH_SKIP}`);

const report = await runDisturbances({
  nodes: values.nodes satisfies NodeKind,
  disturbances: Number(values.disturbances),
  seed: Number(values.seed),
  subscribers: Number(values.subscribers),
  replicas: Number(values.replicas),
  pauseMs: Number(values.pause),
  say: (line) => console.log(`  ${line}`),
});
const list = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
console.log(`disturbances: ${list(report.happened)}`);
if (report.failedConnections.size > 0)
  console.log(`connections that could not be opened: ${list(report.failedConnections)}`);
if (report.refusals.size > 0) console.log(`subscriptions refused for the moment: ${list(report.refusals)}`);
if (report.refusedPolls.size > 0) console.log(`polls refused for the moment: ${list(report.refusedPolls)}`);
for (const error of new Set(report.errors)) console.log(`logged by the service: ${error}`);
for (const complaint of report.complaints.slice(0, 40)) console.log(`  ${complaint}`);
const { lost, doubled, disordered, kept, refused } = report.faults;
console.log(
  `seed ${values.seed}, ${values.disturbances} disturbances in ${report.seconds.toFixed(0)} s: ${report.blocks} blocks and ` +
    `${report.orphans} orphans, ${report.connections} connections, ${report.notifications} notifications, ${report.polled.changes} changes of ${report.polled.filters} filters (${report.polled.repeated} answers again after the end of a process): ` +
    `${lost} lost, ${doubled} doubled, ${disordered} out of order, ${kept} not taken back, ${refused} not resumed`,
);
process.exitCode = lost + doubled + disordered + kept + refused > 0 ? 1 : 0;
